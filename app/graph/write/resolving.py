"""Which nodes and which new things the candidates of an ingest are: by names, verdicts and senses."""

from collections.abc import Sequence
from uuid import UUID

from app.db.session import SpaceSession
from app.graph.resolution.entity_resolver import Candidate, Group, ResolvedNode, resolve
from app.graph.resolution.group_splitter import is_split, split
from app.graph.resolution.senses import (
    Homes,
    SenseMove,
    has_senses,
    nodes_of,
    part_by_sense,
    sense_names,
    senses_in,
)
from app.graph.resolution.verdicts import Verdicts
from app.graph.write import merge_repository, repository, splits
from app.ids import NodeId

MOST_ROUNDS = 3
"""Nodes are split before what names them is placed; a split can show another one."""


def resolve_candidates(
    space: SpaceSession, candidates: Sequence[Candidate], *, separates_homonyms: bool
) -> list[ResolvedNode]:
    """The things that these candidates are. Nodes that turn out to be two are split."""
    parts_again = splits.returning_parts(space, candidates)
    by_split: dict[UUID, ResolvedNode] = {}
    for index, part in parts_again.items():
        part_node = by_split.setdefault(part.split_id, ResolvedNode(sense=part.sense, part=part))
        part_node.take(index, candidates[index])
    other_indices = [index for index in range(len(candidates)) if index not in parts_again]
    resolved = _resolve(space, [candidates[index] for index in other_indices], separates_homonyms)
    for resolved_node in resolved:
        resolved_node.candidates = [other_indices[index] for index in resolved_node.candidates]
    return [*by_split.values(), *resolved]


def _resolve(
    space: SpaceSession, candidates: Sequence[Candidate], separates_homonyms: bool
) -> list[ResolvedNode]:
    for round_ in range(MOST_ROUNDS):
        groups, verdicts = _read(space, candidates, separates_homonyms=separates_homonyms)
        parts, moves = _parted(space, groups, candidates, verdicts, separates_homonyms=separates_homonyms)
        if not moves or round_ == MOST_ROUNDS - 1 or not splits.split_by_sense(space, moves):
            break
    return [
        resolved_node
        for part in parts
        for resolved_node in _resolved_nodes(
            part, candidates, verdicts, separates_homonyms=separates_homonyms
        )
    ]


def _read(
    space: SpaceSession, candidates: Sequence[Candidate], *, separates_homonyms: bool
) -> tuple[list[Group], Verdicts]:
    names = {name: written for candidate in candidates for name, written in candidate.full_names().items()}
    by_name = repository.known_names(space, list(names))
    sure_keys = {
        key for candidate in candidates for key in candidate.sure_keys(candidate.full_names().values())
    }
    by_key = merge_repository.known_keys(space, sure_keys)
    groups = resolve(candidates, by_name, by_key, separates_homonyms=separates_homonyms)
    concerned_names = names.keys() | {name for _, node in (*by_name, *by_key) for name in node.full_names()}
    for group in groups:
        if has_senses(group, candidates):
            group_names = {name for index in group.candidates for name in candidates[index].full_names()}
            group_names |= {name for node in nodes_of(group) for name in node.full_names()}
            concerned_names |= sense_names(group_names, senses_in(group, candidates))
    return groups, Verdicts(merge_repository.verdicts_on(space, concerned_names))


def _parted(
    space: SpaceSession,
    groups: Sequence[Group],
    candidates: Sequence[Candidate],
    verdicts: Verdicts,
    *,
    separates_homonyms: bool,
) -> tuple[list[Group], list[SenseMove]]:
    """The groups, those of two senses taken apart, and what must be split before they can be."""
    parts: list[Group] = []
    moves: list[SenseMove] = []
    says_senses = [has_senses(group, candidates) for group in groups]
    groups_with_senses = [group for group, says in zip(groups, says_senses, strict=True) if says]
    homes = _homes(space, groups_with_senses, candidates)
    for group, says in zip(groups, says_senses, strict=True):
        sense_sides = (
            part_by_sense(group, candidates, verdicts, homes, separates_homonyms=separates_homonyms)
            if says
            else None
        )
        if sense_sides is None or sense_sides.moves:
            parts.append(group)
            moves += sense_sides.moves if sense_sides else []
        else:
            parts += sense_sides.sides.values()
    return parts, moves


def _homes(space: SpaceSession, groups: Sequence[Group], candidates: Sequence[Candidate]) -> Homes:
    """Where chunks of names that several nodes bear belong already."""
    ambiguous_groups = [group for group in groups if len(nodes_of(group)) > 1]
    if not ambiguous_groups:
        return {}
    chunks = {candidates[index].chunk_id for group in ambiguous_groups for index in group.candidates}
    nodes: set[NodeId] = {node.id for group in ambiguous_groups for node in nodes_of(group)}
    return splits.homes_of(space, chunks, nodes)


def _resolved_nodes(
    part: Group, candidates: Sequence[Candidate], verdicts: Verdicts, *, separates_homonyms: bool
) -> list[ResolvedNode]:
    if not verdicts or not is_split(part, candidates, verdicts):
        return [part.resolved_node(candidates)]
    resolved_nodes = split(part, candidates, verdicts, separates_homonyms=separates_homonyms)
    for resolved_node in resolved_nodes:
        resolved_node.sense = part.sense
    return resolved_nodes
