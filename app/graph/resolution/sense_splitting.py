"""Divide a group whose texts state two senses of one name. Pure.

A sense counts only beside another: as long as every text that states a sense states the same one, all are one
entity. Once two senses are different (`are_different_things`, or any two that a model tells apart), each
sense has a node of its own. Mentions without a sense stay with the plain name, as they may mean either. So
the order of documents does not matter.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from app.extraction.sense_detection import are_different_things, build_sense_label
from app.graph.names import normalise_name
from app.graph.resolution.entity_resolver import Candidate, CandidateGroup, KnownNode, sort_key_by_mentions
from app.graph.resolution.shapes import NameAndType
from app.graph.resolution.verdicts import Verdicts
from app.ids import ChunkId, NodeId

PLAIN_SIDE = ""
"""The side of mentions without a sense, or with one that is not told apart."""
NodeByChunk = Mapping[ChunkId, NodeId]
"""Chunk → the node, among several with one name, that it mentions or mentioned before it was deleted."""


@dataclass(frozen=True, slots=True)
class SenseMove:
    """Mentions of a node with one of these senses, to be moved to a node of their own named after `sense`."""

    node: KnownNode
    sense: str
    moved_senses: frozenset[str]
    is_whole_node: bool = False


@dataclass(slots=True)
class SenseSides:
    """The parts of a group by sense, and the moves that must be made before it can be divided."""

    group_by_side: dict[str, CandidateGroup] = field(default_factory=dict)
    moves: list[SenseMove] = field(default_factory=list)


def find_sense_in_name(node: KnownNode) -> str:
    """Return the sense that the node is named after, "" if it has the plain name."""
    return str(node.metadata.get("sense", PLAIN_SIDE))


def group_has_senses(group: CandidateGroup, candidates: Sequence[Candidate]) -> bool:
    """Return whether a candidate or node of the group states a sense."""
    return any(candidates[index].entity.sense for index in group.candidate_indices) or any(
        "sense" in node.metadata or node.metadata.get("senseVotes") for node in list_nodes_of_group(group)
    )


def list_nodes_of_group(group: CandidateGroup) -> list[KnownNode]:
    """Return every node of the group and of its keys, without duplicates."""
    nodes = dict(group.nodes)
    for nodes_of_key in group.nodes_by_key.values():
        nodes |= {node.id: node for node in nodes_of_key}
    return sorted(nodes.values(), key=sort_key_by_mentions)


def add_senses_to_names(names: Iterable[str], senses: Iterable[str]) -> set[str]:
    """Return the normalised names by which verdicts refer to these names with these senses."""
    name_list = list(names)
    return {normalise_name(f"{name} ({sense})") for sense in senses for name in name_list}


def list_senses_of_group(group: CandidateGroup, candidates: Sequence[Candidate]) -> set[str]:
    """Return the senses of the group's candidates and nodes."""
    labels = {build_sense_label(candidates[index].entity.sense) for index in group.candidate_indices}
    for node in list_nodes_of_group(group):
        labels |= {build_sense_label(find_sense_in_name(node)), *node.metadata.get("senseVotes", {})}
    return labels - {PLAIN_SIDE}


def divide_group_by_sense(
    group: CandidateGroup,
    candidates: Sequence[Candidate],
    verdicts: Verdicts,
    node_by_chunk: NodeByChunk,
    *,
    separates_homonyms: bool,
) -> SenseSides | None:
    """Return the sides of the group, or None if it is one entity.

    If the result has `moves`, the group must be loaded again after they were made.
    """
    nodes = list_nodes_of_group(group)
    side_by_sense = _assign_senses_to_sides(
        group, candidates, verdicts, separates_homonyms=separates_homonyms
    )
    if not side_by_sense:
        return None
    moves = [
        move
        for node in nodes
        if not find_sense_in_name(node)
        for move in _list_moves_of_node(node, side_by_sense)
    ]
    if moves:
        return SenseSides(moves=moves)
    side_by_node = {
        node.id: side_by_sense.get(build_sense_label(find_sense_in_name(node)), PLAIN_SIDE) for node in nodes
    }
    sense_sides = SenseSides()
    names_by_side: dict[str, set[str]] = defaultdict(set)
    for node in nodes:
        names_by_side[side_by_node[node.id]] |= node.full_names()
    waiting_indices = []
    for index in group.candidate_indices:
        entity = candidates[index].entity
        side = side_by_sense.get(build_sense_label(entity.sense), PLAIN_SIDE)
        node_id = node_by_chunk.get(candidates[index].chunk_id)
        if node_id in side_by_node:
            side = side_by_node[node_id]
        elif side == PLAIN_SIDE:
            waiting_indices.append(index)
            continue
        sense_sides.group_by_side.setdefault(side, CandidateGroup()).candidate_indices.append(index)
        names_by_side[side] |= candidates[index].full_names().keys()
    for index in waiting_indices:
        side = _find_side_by_name(candidates[index], names_by_side)
        sense_sides.group_by_side.setdefault(side, CandidateGroup()).candidate_indices.append(index)
    for side, group_of_side in sense_sides.group_by_side.items():
        group_of_side.candidate_indices.sort()
        _fill_part_of_sense(
            group_of_side,
            group,
            {node.id for node in nodes if side_by_node[node.id] == side},
            side,
            candidates,
        )
    return sense_sides


def _assign_senses_to_sides(
    group: CandidateGroup, candidates: Sequence[Candidate], verdicts: Verdicts, *, separates_homonyms: bool
) -> dict[str, str]:
    """Map each sense that has a side other than the plain one to that side; {} if all are one entity."""
    nodes = list_nodes_of_group(group)
    names = {name for node in nodes for name in node.full_names()}
    names |= {name for index in group.candidate_indices for name in candidates[index].full_names()}
    comparer = _SenseComparer(names, verdicts, separates_homonyms)
    senses_of_nodes = {
        build_sense_label(find_sense_in_name(node)) for node in nodes if find_sense_in_name(node)
    }
    all_senses = sorted(list_senses_of_group(group, candidates))
    separate_senses = [
        sense
        for sense in all_senses
        if not comparer.is_plain(sense)
        and (
            sense in senses_of_nodes
            or any(
                comparer.are_different(sense, other_sense)
                for other_sense in all_senses
                if other_sense != sense
            )
        )
    ]
    if not separate_senses or (len(nodes) < 2 and len(separate_senses) < 2):
        return {}
    side_by_sense: dict[str, str] = {}
    for sense in separate_senses:
        side_by_sense[sense] = next(
            (side_by_sense[side] for side in side_by_sense if comparer.are_decided_same(sense, side)), sense
        )
    return side_by_sense


@dataclass(frozen=True, slots=True)
class _SenseComparer:
    """Decides which senses of these names are different entities: by verdicts, else by their meaning."""

    names: Collection[str]
    verdicts: Verdicts
    separates_homonyms: bool

    def are_different(self, sense: str, other_sense: str) -> bool:
        """Return whether the senses are two entities."""
        verdict = self._find_verdict(sense, other_sense)
        return (
            (are_different_things(sense, other_sense) or self.separates_homonyms)
            if verdict is None
            else not verdict
        )

    def are_decided_same(self, sense: str, other_sense: str) -> bool:
        """Return whether a verdict says that the senses are one entity."""
        return self._find_verdict(sense, other_sense) is True

    def is_plain(self, sense: str) -> bool:
        """Return whether a verdict says that this sense is the entity of the plain name."""
        plain_names = frozenset(NameAndType(name, "") for name in self.names)
        return (
            self.verdicts.find_verdict(_normalise_names_for_verdicts(self.names, [sense]), plain_names)
            is True
        )

    def _find_verdict(self, sense: str, other_sense: str) -> bool | None:
        return self.verdicts.find_verdict(
            _normalise_names_for_verdicts(self.names, [sense]),
            _normalise_names_for_verdicts(self.names, [other_sense]),
        )


def _normalise_names_for_verdicts(names: Iterable[str], senses: Iterable[str]) -> frozenset[NameAndType]:
    return frozenset(NameAndType(name, "") for name in add_senses_to_names(names, senses))


def _list_moves_of_node(node: KnownNode, side_by_sense: Mapping[str, str]) -> list[SenseMove]:
    """Return the moves of mentions from a plainly named node whose senses have sides of their own."""
    votes_by_sense: Counter[str] = Counter(node.metadata.get("senseVotes", {}))
    votes_by_side: dict[str, Counter[str]] = defaultdict(Counter)
    for sense, count in votes_by_sense.items():
        if sense in side_by_sense:
            votes_by_side[side_by_sense[sense]][sense] = count
    votes_without_sense = node.mention_count - sum(
        count for sense_votes in votes_by_side.values() for count in sense_votes.values()
    )
    sides_by_votes = sorted(votes_by_side, key=lambda side: (-votes_by_side[side].total(), side))
    return [
        # If every mention states a sense, the node itself is renamed after the most frequent one.
        SenseMove(
            node, side, frozenset(votes_by_side[side]), is_whole_node=votes_without_sense <= 0 and index == 0
        )
        for index, side in enumerate(sides_by_votes)
    ]


def _find_side_by_name(candidate: Candidate, names_by_side: Mapping[str, set[str]]) -> str:
    """Return the only side that has one of the candidate's names, own name first; else the plain side."""
    for name in candidate.full_names():
        sides = [side for side, names in names_by_side.items() if name in names]
        if len(sides) == 1:
            return sides[0]
    return PLAIN_SIDE


def _fill_part_of_sense(
    sense_group: CandidateGroup,
    group: CandidateGroup,
    node_ids: set[NodeId],
    sense: str,
    candidates: Sequence[Candidate],
) -> None:
    """Give the part the group's nodes on its side; if only a name matches, the most mentioned node."""
    sense_group.sense = sense
    sense_group.name_set_by_node_id = group.name_set_by_node_id
    sense_group.nodes_by_key = {
        key: nodes_on_side
        for key, nodes_of_key in group.nodes_by_key.items()
        if (nodes_on_side := [node for node in nodes_of_key if node.id in node_ids])
    }
    sense_group.nodes = {node_id: node for node_id, node in group.nodes.items() if node_id in node_ids}
    names = {name for index in sense_group.candidate_indices for name in candidates[index].full_names()}
    named_nodes = [
        node for node in list_nodes_of_group(sense_group) if not names.isdisjoint(node.full_names())
    ]
    if not sense_group.nodes and named_nodes:
        best_node = min(named_nodes, key=sort_key_by_mentions)
        sense_group.nodes = {best_node.id: best_node}
