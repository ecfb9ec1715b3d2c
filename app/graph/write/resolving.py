"""Resolve the candidates of an ingest to existing or new nodes, by names, verdicts and senses."""

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from app.db.session import SpaceSession
from app.graph.resolution.entity_resolver import Candidate, CandidateGroup, ResolvedNode, group_candidates
from app.graph.resolution.group_splitter import does_verdict_divide_group, split_by_verdicts
from app.graph.resolution.sense_splitting import (
    NodeByChunk,
    SenseMove,
    add_senses_to_names,
    divide_group_by_sense,
    group_has_senses,
    list_nodes_of_group,
    list_senses_of_group,
)
from app.graph.resolution.verdicts import Verdicts
from app.graph.write import merge_repository, repository, splits
from app.ids import NodeId

MAX_ROUNDS = 3
"""Maximum rounds of splitting nodes before candidates are assigned; each split can reveal another one."""


def resolve_candidates_and_split_nodes(
    space: SpaceSession, candidates: Sequence[Candidate], *, separates_homonyms: bool
) -> list[ResolvedNode]:
    """Return the nodes that these candidates denote; nodes that turn out to mean two things are split."""
    returning_parts = splits.find_parts_split_off_before_deletion(space, candidates)
    node_by_split: dict[UUID, ResolvedNode] = {}
    for index, returning_part in returning_parts.items():
        part_node = node_by_split.setdefault(
            returning_part.split_id, ResolvedNode(sense=returning_part.sense, split_part=returning_part)
        )
        part_node.add_candidate(index, candidates[index])
    other_indices = [index for index in range(len(candidates)) if index not in returning_parts]
    resolved_nodes = _resolve_candidates_in_rounds(
        space, [candidates[index] for index in other_indices], separates_homonyms
    )
    for resolved_node in resolved_nodes:
        resolved_node.candidate_indices = [other_indices[index] for index in resolved_node.candidate_indices]
    return [*node_by_split.values(), *resolved_nodes]


def _resolve_candidates_in_rounds(
    space: SpaceSession, candidates: Sequence[Candidate], separates_homonyms: bool
) -> list[ResolvedNode]:
    for round_ in range(MAX_ROUNDS):
        groups, verdicts = _group_candidates_and_load_verdicts(
            space, candidates, separates_homonyms=separates_homonyms
        )
        divided_groups, moves = _divide_groups_by_sense(
            space, groups, candidates, verdicts, separates_homonyms=separates_homonyms
        )
        if not moves or round_ == MAX_ROUNDS - 1 or not splits.split_nodes_by_sense_and_count(space, moves):
            break
    return [
        resolved_node
        for divided_group in divided_groups
        for resolved_node in _build_resolved_nodes(
            divided_group, candidates, verdicts, separates_homonyms=separates_homonyms
        )
    ]


class _GroupsAndVerdicts(NamedTuple):
    """The groups of candidates, and the verdicts on their names."""

    groups: list[CandidateGroup]
    verdicts: Verdicts


def _group_candidates_and_load_verdicts(
    space: SpaceSession, candidates: Sequence[Candidate], *, separates_homonyms: bool
) -> _GroupsAndVerdicts:
    names = {
        name: written_name
        for candidate in candidates
        for name, written_name in candidate.full_names().items()
    }
    nodes_by_name = repository.list_nodes_by_full_name(space, list(names))
    sure_keys = {
        key
        for candidate in candidates
        for key in candidate.list_sure_spelling_keys(candidate.full_names().values())
    }
    nodes_by_key = merge_repository.list_nodes_by_spelling_key(space, sure_keys)
    groups = group_candidates(candidates, nodes_by_name, nodes_by_key, separates_homonyms=separates_homonyms)
    verdict_names = names.keys() | {
        name for _, node in (*nodes_by_name, *nodes_by_key) for name in node.full_names()
    }
    for group in groups:
        if group_has_senses(group, candidates):
            group_names = {
                name for index in group.candidate_indices for name in candidates[index].full_names()
            }
            group_names |= {name for node in list_nodes_of_group(group) for name in node.full_names()}
            verdict_names |= add_senses_to_names(group_names, list_senses_of_group(group, candidates))
    return _GroupsAndVerdicts(groups, Verdicts(merge_repository.list_verdicts_on_names(space, verdict_names)))


class _GroupsBySense(NamedTuple):
    """Groups of candidates of one sense each, and the moves of mentions between their nodes."""

    groups: list[CandidateGroup]
    sense_moves: list[SenseMove]


def _divide_groups_by_sense(
    space: SpaceSession,
    groups: Sequence[CandidateGroup],
    candidates: Sequence[Candidate],
    verdicts: Verdicts,
    *,
    separates_homonyms: bool,
) -> _GroupsBySense:
    """Divide the groups that have two senses; return the groups and the moves.

    A group that needs moves, which split its nodes, is returned undivided.
    """
    divided_groups: list[CandidateGroup] = []
    moves: list[SenseMove] = []
    sense_flags = [group_has_senses(group, candidates) for group in groups]
    groups_with_senses = [group for group, has_senses in zip(groups, sense_flags, strict=True) if has_senses]
    node_by_chunk = _map_known_chunks_to_nodes(space, groups_with_senses, candidates)
    for group, has_senses in zip(groups, sense_flags, strict=True):
        sense_sides = (
            divide_group_by_sense(
                group, candidates, verdicts, node_by_chunk, separates_homonyms=separates_homonyms
            )
            if has_senses
            else None
        )
        if sense_sides is None or sense_sides.moves:
            divided_groups.append(group)
            moves += sense_sides.moves if sense_sides else []
        else:
            divided_groups += sense_sides.group_by_side.values()
    return _GroupsBySense(divided_groups, moves)


def _map_known_chunks_to_nodes(
    space: SpaceSession, groups: Sequence[CandidateGroup], candidates: Sequence[Candidate]
) -> NodeByChunk:
    """Return which node each chunk already belongs to, for chunks whose names several nodes share."""
    ambiguous_groups = [group for group in groups if len(list_nodes_of_group(group)) > 1]
    if not ambiguous_groups:
        return {}
    chunk_ids = {
        candidates[index].chunk_id for group in ambiguous_groups for index in group.candidate_indices
    }
    node_ids: set[NodeId] = {node.id for group in ambiguous_groups for node in list_nodes_of_group(group)}
    return splits.get_node_of_each_chunk(space, chunk_ids, node_ids)


def _build_resolved_nodes(
    group: CandidateGroup, candidates: Sequence[Candidate], verdicts: Verdicts, *, separates_homonyms: bool
) -> list[ResolvedNode]:
    if not verdicts or not does_verdict_divide_group(group, candidates, verdicts):
        return [group.to_resolved_node(candidates)]
    resolved_nodes = split_by_verdicts(group, candidates, verdicts, separates_homonyms=separates_homonyms)
    for resolved_node in resolved_nodes:
        resolved_node.sense = group.sense
    return resolved_nodes
