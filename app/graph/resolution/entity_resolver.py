"""Group the entities of many chunks and the existing nodes that are one entity; the end of pass 1. Pure.

Two entities are one if they share a name that identifies them everywhere (the name or an alias, never a short
name), or a sure spelling key under one type (`name_similarity`). A group is a connected component of this
relation, and its canonical name and type are those of most mentions. So the graph does not depend on the
order in which chunks and workers came: 8 workers produce the same graph as one. If a verdict keeps two
members of a component apart, `group_splitter` divides it.
"""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, reduce
from typing import Any

from app.domain.node_types import DEFAULT_TYPE
from app.extraction.shapes import FoundEntity
from app.graph.names import choose_fuller_name, normalise_name
from app.graph.resolution.disjoint_sets import DisjointSets
from app.graph.resolution.name_similarity import list_sure_spelling_keys
from app.graph.resolution.shapes import PartOfSplit
from app.ids import ChunkId, NodeId


@dataclass(frozen=True)
class Candidate:
    """One grounded entity of one chunk.

    `titular` is whether the chunk's document or heading has this name; `trust` is that in the document.
    """

    chunk_id: ChunkId
    entity: FoundEntity
    titular: bool = False
    trust: float = 1.0

    def full_names(self) -> Mapping[str, str]:
        """Return the names that identify it everywhere: normalised → as written."""
        return self._full_names

    # Cached: every step of resolving needs them.
    @cached_property
    def _full_names(self) -> dict[str, str]:
        names: dict[str, str] = {}
        for name in (self.entity.name, *self.entity.aliases):
            keep_one_spelling(names, name)
        return names

    def short_names(self) -> dict[str, str]:
        """Return the names that denote it only within its document: normalised → as written."""
        names: dict[str, str] = {}
        for name in self.entity.short_names:
            keep_one_spelling(names, name)
        return names

    def list_sure_spelling_keys(self, names: Iterable[str]) -> set[str]:
        """Return the sure spelling keys of some of its names; they depend on its type if that is certain."""
        node_type = self.entity.node_type if self.entity.is_type_certain else None
        return {key for name in names for key in list_sure_spelling_keys(name, node_type)}


@dataclass(frozen=True, slots=True)
class KnownNode:
    """An existing node, with the fields that resolution needs."""

    id: NodeId
    canonical_name: str
    node_type: str
    mention_count: int
    metadata: dict[str, Any]

    def full_names(self) -> set[str]:
        """Return the normalised names that identify it everywhere."""
        return {normalise_name(name) for name in (self.canonical_name, *self.metadata.get("aliases", ()))}


@dataclass(slots=True)
class ResolvedNode:
    """The candidates and existing nodes that are one entity; `known_node` is None if it is new.

    `merge_reasons` are why each node of `merged_nodes` is the same: alias or string. A new node is named
    after its `sense`. `split_part` is set if a person had split it off before its document was deleted.
    """

    candidate_indices: list[int] = field(default_factory=list)
    known_node: KnownNode | None = None
    merged_nodes: list[KnownNode] = field(default_factory=list)
    merge_reasons: list[str] = field(default_factory=list)
    full_names: dict[str, str] = field(default_factory=dict)
    short_names: dict[str, str] = field(default_factory=dict)
    sense: str = ""
    split_part: PartOfSplit | None = None

    def add_candidate(self, index: int, candidate: Candidate, *, dropped_names: Iterable[str] = ()) -> None:
        """Add a candidate with its full names, except those in `dropped_names`, and its short names."""
        self.candidate_indices.append(index)
        for normalised_name, written_name in candidate.full_names().items():
            if normalised_name not in dropped_names:
                keep_one_spelling(self.full_names, written_name)
        for written_name in candidate.short_names().values():
            keep_one_spelling(self.short_names, written_name)

    def absorb_nodes(self, nodes: Iterable[KnownNode], reason_by_node_id: dict[NodeId, str]) -> None:
        """Add these nodes; the oldest becomes `known_node` and the others are merged into it."""
        for node in sorted(nodes, key=lambda known_node: known_node.id):
            if self.known_node is None:
                self.known_node = node
            else:
                self.merged_nodes.append(node)
                self.merge_reasons.append(reason_by_node_id.get(node.id, "alias"))


@dataclass(slots=True)
class CandidateGroup:
    """A connected group: candidates, the nodes linked to them, and every node that has one of their keys."""

    candidate_indices: list[int] = field(default_factory=list)
    nodes: dict[NodeId, KnownNode] = field(default_factory=dict)
    nodes_by_key: dict[Hashable, list[KnownNode]] = field(default_factory=dict)
    # Nodes linked by a name have the same value; nodes found only by a spelling key are absent.
    name_set_by_node_id: dict[NodeId, Hashable] = field(default_factory=dict)
    sense: str = ""

    def to_resolved_node(self, candidates: Sequence[Candidate]) -> ResolvedNode:
        """Combine all candidates and known nodes of the group into one node."""
        resolved_node = ResolvedNode(sense=self.sense)
        for index in self.candidate_indices:
            resolved_node.add_candidate(index, candidates[index])
        oldest_id = min(self.nodes, default=None)
        reason_by_node_id = {
            node_id: "alias"
            if oldest_id
            and self.name_set_by_node_id.get(node_id) == self.name_set_by_node_id.get(oldest_id, 0)
            else "string"
            for node_id in self.nodes
        }
        resolved_node.absorb_nodes(self.nodes.values(), reason_by_node_id)
        return resolved_node


NodeWithText = tuple[str, KnownNode]
"""A name or key of an existing node, and the node."""


def group_candidates(
    candidates: Sequence[Candidate],
    known_name_rows: Iterable[NodeWithText],
    known_key_rows: Iterable[NodeWithText] = (),
    *,
    separates_homonyms: bool,
) -> list[CandidateGroup]:
    """Group the candidates and existing nodes that are one entity according to their names.

    `known_name_rows` are (normalised full name, node) rows of the space for the candidates' names, and
    `known_key_rows` (sure key, node) rows for their keys. With `separates_homonyms` a name identifies only
    together with the type.
    """
    disjoint_sets = DisjointSets()
    names_of_candidates = [candidate.full_names() for candidate in candidates]
    for index, candidate in enumerate(candidates):
        for name in names_of_candidates[index]:
            key = build_identity_key(name, candidate.entity.node_type, separates_homonyms=separates_homonyms)
            disjoint_sets.join_sets(("candidate", index), key)
    nodes_by_key: dict[Hashable, list[KnownNode]] = defaultdict(list)
    for name, node in known_name_rows:
        key = build_identity_key(name, node.node_type, separates_homonyms=separates_homonyms)
        # A homonym of a type that no candidate has is another entity.
        if key in disjoint_sets:
            nodes_by_key[key].append(node)
    nodes: dict[NodeId, KnownNode] = {}

    def link_keys(keys: Iterable[Hashable]) -> None:
        """Link each key to the most mentioned of the nodes that have it."""
        for key in keys:
            most_mentioned_holder = min(nodes_by_key[key], key=sort_key_by_mentions)
            nodes[most_mentioned_holder.id] = most_mentioned_holder
            disjoint_sets.join_sets(("node", most_mentioned_holder.id), key)

    link_keys(list(nodes_by_key))
    name_set_by_node_id = {node_id: disjoint_sets.find_representative(("node", node_id)) for node_id in nodes}
    for index, candidate in enumerate(candidates):
        for sure_key in candidate.list_sure_spelling_keys(names_of_candidates[index].values()):
            disjoint_sets.join_sets(("candidate", index), ("sure", sure_key))
    sure_key_rows = list(known_key_rows)
    for sure_key, node in sure_key_rows:
        nodes_by_key[("sure", sure_key)].append(node)
    link_keys({("sure", sure_key): None for sure_key, _ in sure_key_rows})

    groups: dict[Hashable, CandidateGroup] = {}
    for index in range(len(candidates)):
        groups.setdefault(
            disjoint_sets.find_representative(("candidate", index)), CandidateGroup()
        ).candidate_indices.append(index)
    for node in nodes.values():
        group = groups[disjoint_sets.find_representative(("node", node.id))]
        group.nodes[node.id] = node
        if node.id in name_set_by_node_id:
            group.name_set_by_node_id[node.id] = name_set_by_node_id[node.id]
    for key, nodes_of_key in nodes_by_key.items():
        groups[disjoint_sets.find_representative(key)].nodes_by_key[key] = nodes_of_key
    return list(groups.values())


def build_identity_key(name: str, node_type: str, *, separates_homonyms: bool) -> Hashable:
    """Return the key that identifies an entity: the name, with `separates_homonyms` also the type."""
    return (name, node_type) if separates_homonyms else name


def choose_canonical_name(votes: Counter[str]) -> str:
    """Return the name with the most votes, on a tie the fuller one."""
    top_count = max(votes.values())
    return reduce(choose_fuller_name, sorted(name for name, count in votes.items() if count == top_count))


def choose_node_type(votes: Counter[str]) -> str:
    """Return the node type with the most votes, or the default type without votes."""
    if not votes:
        return DEFAULT_TYPE
    top_count = max(votes.values())
    return min(node_type for node_type, count in votes.items() if count == top_count)


def sort_key_by_mentions(node: KnownNode) -> tuple[int, str]:
    """Sort key: the most mentioned node first."""
    return (-node.mention_count, str(node.id))


def keep_one_spelling(names: dict[str, str], written_name: str) -> None:
    """Add a name as written to those by normalised name; of two spellings one is kept, always the same."""
    normalised_name = normalise_name(written_name)
    names[normalised_name] = max(names.get(normalised_name, ""), written_name)
