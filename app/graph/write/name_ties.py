"""Store which names chunks tie into one node, and free names that nothing ties; under the graph's lock.

A node may have several names because one chunk says so ("Acme, formerly Initech"). When the last such chunk
goes, the names that it tied are no longer one thing. The node then keeps some of them, and the chunks that
have the others are read again: they find or make the node that bears those names.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from app.db.session import SpaceSession
from app.graph.names import normalise_name
from app.graph.resolution.entity_resolver import Candidate
from app.graph.resolution.name_similarity import list_spelling_keys_of_names
from app.graph.resolution.name_ties import NameTie, find_names_no_longer_tied
from app.graph.resolution.unmerge_plan import NameRow, NodeWithNames, build_names_with_kinds, list_aliases
from app.graph.resolution.votes import Vote
from app.graph.write import merge_repository, name_tie_repository, repository
from app.graph.write.mention_counts import build_node_update
from app.graph.write.name_tie_repository import list_name_ties_of_nodes
from app.ids import ChunkId, NodeId

__all__ = ["list_name_ties_of_nodes"]

Ties = Mapping[NodeId, Sequence[NameTie]]


def store_names_tied_by_candidates(space: SpaceSession, candidates: Sequence[Candidate]) -> None:
    """Store on their chunks the names of the candidates that have several."""
    ties_by_chunk: dict[ChunkId, set[NameTie]] = defaultdict(set)
    for candidate in candidates:
        written_name_by_name = candidate.full_names()
        if len(written_name_by_name) > 1:
            entity = candidate.entity
            node_type = entity.node_type if entity.is_type_certain else None
            ties_by_chunk[candidate.chunk_id].add(
                NameTie(node_type, tuple(written_name_by_name[name] for name in sorted(written_name_by_name)))
            )
    if ties_by_chunk:
        name_tie_repository.store_name_ties(space, ties_by_chunk)


def list_ties_of_chunks(
    space: SpaceSession, chunk_ids: Sequence[ChunkId], votes_by_node: Mapping[NodeId, Sequence[Vote]]
) -> Ties:
    """Return what these chunks, with these votes, say about the names of the nodes that they mention."""
    ties_by_node: dict[NodeId, list[NameTie]] = defaultdict(list)
    for node_id, votes in votes_by_node.items():
        ties_by_node[node_id] += {NameTie(vote.node_type, (vote.name,)) for vote in votes}
    for node_id, tie in name_tie_repository.list_name_ties_of_chunks(space, chunk_ids):
        ties_by_node[node_id].append(tie)
    return ties_by_node


def free_untied_names_and_list_chunks_to_reread(space: SpaceSession, removed_ties: Ties) -> list[ChunkId]:
    """Give these nodes the names and spellings that the remaining chunks tie and write.

    Names that only the removed ties tied to the others leave their node, and merges by texts between the two
    count as undone; what a person or a model decided stays. Returns the chunks that mention a node and have a
    name that left it; they must be read again. Until then their mentions stay where they are.
    """
    # Also those that no chunk mentions now: the next text that names one of the names must not find all.
    nodes = merge_repository.get_nodes_with_names_and_keys(space, removed_ties)
    if not nodes:
        return []
    remaining_ties: dict[NodeId, list[NameTie]] = defaultdict(list)
    for node_id, tie in list_name_ties_of_nodes(space, nodes):
        remaining_ties[node_id].append(tie)
    freed_names_by_node = _find_freed_names_of_nodes(space, nodes, removed_ties, remaining_ties)
    changed_nodes = []
    for node_id, node in nodes.items():
        spellings = _map_written_spellings(remaining_ties[node_id])
        names = {
            name: row._replace(name=spellings.get(name, row.name))
            for name, row in node.names.items()
            if name not in freed_names_by_node.get(node_id, ())
        }
        aliases = list_aliases(names, node.node.canonical_name)
        if names != node.names or aliases != node.node.metadata.get("aliases", []):
            changed_nodes.append(_build_node_with_names(node, names))
    if changed_nodes:
        _store_names(space, changed_nodes)
    if not freed_names_by_node:
        return []
    written_names = [
        (node_id, written_name)
        for node_id, freed_names in freed_names_by_node.items()
        for written_name in _list_written_names_of_node(nodes[node_id], freed_names)
    ]
    name_tie_repository.mark_merges_of_names_undone(space, written_names)
    return name_tie_repository.list_chunks_with_names(space, written_names)


def _map_written_spellings(ties: Sequence[NameTie]) -> dict[str, str]:
    """Return the spelling of each normalised name that resolution keeps of those written."""
    spellings: dict[str, str] = {}
    for tie in ties:
        for written_name in tie.names:
            name = normalise_name(written_name)
            spellings[name] = max(spellings.get(name, ""), written_name)
    return spellings


def restore_names_of_unread_chunks(space: SpaceSession, chunk_ids: Sequence[ChunkId]) -> None:
    """Give nodes the names that these chunks, which could not be read again, call them by."""
    names_by_node: dict[NodeId, dict[str, NameRow]] = defaultdict(dict)
    for known_node, vote in repository.list_nodes_and_votes_of_chunks(space, chunk_ids):
        names_by_node[known_node.id][normalise_name(vote.name)] = NameRow(vote.name, "alias")
    changed_nodes = []
    for node in merge_repository.get_nodes_with_names_and_keys(space, names_by_node).values():
        all_names = names_by_node[node.node.id] | node.names
        if len(all_names) > len(node.names):
            changed_nodes.append(_build_node_with_names(node, all_names))
    if changed_nodes:
        _store_names(space, changed_nodes)


def _find_freed_names_of_nodes(
    space: SpaceSession, nodes: Mapping[NodeId, NodeWithNames], removed_ties: Ties, remaining_ties: Ties
) -> dict[NodeId, set[str]]:
    """Return the normalised names that leave these nodes, by node; nodes that keep all are left out."""
    nodes_with_names = {
        node_id: node for node_id, node in nodes.items() if len(_list_identifying_names(node)) > 1
    }
    if not nodes_with_names:
        return {}
    decided_ties = [
        NameTie(None, (verdict.a.name, verdict.b.name))
        for verdict in merge_repository.list_verdicts_on_names(
            space, {name for node in nodes_with_names.values() for name in node.names}
        )
        if verdict.same
    ]
    freed_names_by_node = {
        node_id: find_names_no_longer_tied(
            _list_identifying_names(node),
            node.node.canonical_name,
            node.node.metadata.get("nameVotes", {}),
            removed_ties=removed_ties[node_id],
            remaining_ties=[*remaining_ties[node_id], *decided_ties],
        )
        for node_id, node in nodes_with_names.items()
    }
    return {node_id: freed_names for node_id, freed_names in freed_names_by_node.items() if freed_names}


def _list_identifying_names(node: NodeWithNames) -> set[str]:
    return {name for name, row in node.names.items() if row.kind != "short"}


def _list_written_names_of_node(node: NodeWithNames, names: Collection[str]) -> set[str]:
    """Return these normalised names of the node as its texts write them."""
    name_votes = node.node.metadata.get("nameVotes", {})
    return {node.names[name].name for name in names} | {
        written_name for written_name in name_votes if normalise_name(written_name) in names
    }


def _build_node_with_names(node: NodeWithNames, names: Mapping[str, NameRow]) -> NodeWithNames:
    full_names = [row.name for row in names.values() if row.kind != "short"]
    known_node = node.node
    metadata = {**known_node.metadata, "aliases": list_aliases(names, known_node.canonical_name)}
    return replace(
        node,
        node=replace(known_node, metadata=metadata),
        names=build_names_with_kinds(names, known_node.canonical_name),
        keys=list_spelling_keys_of_names(full_names, node.keys),
    )


def _store_names(space: SpaceSession, nodes: Sequence[NodeWithNames]) -> None:
    merge_repository.replace_names_and_keys(space, nodes)
    repository.add_mention_counts_and_set_names(
        space, [build_node_update(node.node, 0, 0.0) for node in nodes]
    )
