"""What a run changes: which rows are written, which go, and what is said about them. Pure."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from app.communities.detection import NOWHERE, Hierarchy, Labels
from app.communities.graph_arrays import Ids, Numbering, as_uuids, from_uuids
from app.communities.lineage import Change, trace

CENTRAL = 3
"""Central nodes that name a community without a report."""
_NO_IDS: Ids = np.zeros((0, 2), np.uint64)


@dataclass(frozen=True, slots=True)
class StandingCommunity:
    """A community of the run before; `parent` is a place in the same list, or -1."""

    id: UUID
    level: int
    parent: int
    content_hash: UUID
    title: str


@dataclass(frozen=True, slots=True)
class Standing:
    """The run before: its communities, and for each member node the place of its finest community."""

    communities: Sequence[StandingCommunity] = ()
    nodes: Ids = field(default_factory=lambda: _NO_IDS)
    finest: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))
    weight: NDArray[np.float32] = field(default_factory=lambda: np.zeros(0, np.float32))


@dataclass(frozen=True, slots=True)
class Found:
    """A run over nodes with these ids; `weight` is each node's within its community of level 0.

    `contents` and `births` are 128 bits for each community of each level: of members and facts, and of
    members alone. `totals` and `inner` are the weights of the communities' nodes' pairs, each end counted:
    those within the parent (all at level 0), and those within the community.
    """

    ids: Ids
    hierarchy: Hierarchy
    weight: NDArray[np.float32]
    contents: Sequence[Ids]
    births: Sequence[Ids]
    totals: Sequence[NDArray[np.float64]]
    inner: Sequence[NDArray[np.float64]]


@dataclass(frozen=True, slots=True)
class CommunityRow:
    """A community to be written; `central` are numbers of nodes that name it where it is `fresh`."""

    id: UUID
    level: int
    parent_id: UUID | None
    member_count: int
    weight: float
    inner_weight: float
    content_hash: UUID
    fresh: bool
    central: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class EventRow:
    """What is said about a community; `title` is empty for one that has none yet."""

    community_id: UUID
    change: Change
    level: int
    other_ids: tuple[UUID, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """All that a run writes: rows of communities, parents first, moved members, and what goes."""

    rows: list[CommunityRow]
    moved: Ids
    moved_to: Ids
    moved_weight: NDArray[np.float32]
    left: Ids
    gone: list[UUID]
    events: list[EventRow]


def make_plan(found: Found, standing: Standing) -> Plan:
    """The difference between two runs. What stays as it is is not written again."""
    paths = _paths(standing.communities)
    places = Numbering(found.ids).numbers(standing.nodes)
    levels = len(found.hierarchy.labels)
    before_levels = max((each.level for each in standing.communities), default=-1) + 1
    taken = {each.id for each in standing.communities}
    ids: list[list[UUID]] = []
    rows: list[CommunityRow] = []
    events: list[EventRow] = []
    gone: list[UUID] = []
    for level in range(max(levels, before_levels)):
        old_places = np.array(
            [place for place, each in enumerate(standing.communities) if each.level == level], np.int64
        )
        new = found.hierarchy.labels[level] if level < levels else np.full(len(found.ids), NOWHERE, np.int32)
        count = len(found.hierarchy.parents[level]) if level < levels else 0
        old = _old_labels(standing, paths, old_places, level, places, len(found.ids))
        extended = np.concatenate((new, np.full(len(old) - len(new), NOWHERE, np.int32)))
        lineage = trace(old, extended, old_count=len(old_places), new_count=count)
        here = [
            standing.communities[old_places[heir]].id
            if heir >= 0
            else born(level, found.births[level][number], taken)
            for number, heir in enumerate(lineage.heirs.tolist())
        ]
        ids.append(here)
        if count:
            rows += _rows(found, level, here, lineage.heirs, ids)
        old_ids = [standing.communities[place].id for place in old_places]
        for step in lineage.steps:
            if step.change in (Change.NEW, Change.SPLIT):
                others = tuple(old_ids[each] for each in step.others)
                events.append(EventRow(here[step.community], step.change, level, others))
            else:
                others = tuple(here[each] for each in step.others)
                events.append(EventRow(old_ids[step.community], step.change, level, others))
                gone.append(old_ids[step.community])
    return Plan(rows, *_members(found, standing, places, ids), gone, events)


def central_nodes(labels: Labels, weight: NDArray[Any], count: int) -> list[tuple[int, ...]]:
    """For each community the numbers of its heaviest nodes, at most three, heaviest first."""
    inside = np.flatnonzero(labels >= 0)
    order = inside[np.lexsort((inside, -weight[inside], labels[inside]))]
    begins = np.searchsorted(labels[order], np.arange(count + 1))
    return [
        tuple(order[begin : min(begin + CENTRAL, end)].tolist())
        for begin, end in zip(begins[:-1].tolist(), begins[1:].tolist(), strict=True)
    ]


def _paths(communities: Sequence[StandingCommunity]) -> NDArray[np.int64]:
    """For each community the places of its ancestors by level, itself included; -1 elsewhere."""
    deepest = max((each.level for each in communities), default=-1)
    level = np.array([each.level for each in communities], np.int64)
    parent = np.array([each.parent for each in communities], np.int64)
    paths = np.full((len(communities), deepest + 1), -1, np.int64)
    for depth in range(deepest + 1):
        here = np.flatnonzero(level == depth)
        held = here[parent[here] >= 0]
        paths[held] = paths[parent[held]]
        paths[here, depth] = here
    return paths


def _old_labels(
    standing: Standing,
    paths: NDArray[np.int64],
    old_places: NDArray[np.int64],
    level: int,
    places: NDArray[np.int32],
    nodes: int,
) -> NDArray[np.int32]:
    """The old communities of one level over the new nodes, and after them over those that are gone."""
    vanished = np.flatnonzero(places < 0)
    where = np.array(places, np.int64)
    where[vanished] = nodes + np.arange(len(vanished))
    labels = np.full(nodes + len(vanished), NOWHERE, np.int32)
    if len(old_places):
        rank = np.full(len(standing.communities) + 1, NOWHERE, np.int32)  # the last place is read for -1
        rank[old_places] = np.arange(len(old_places))
        labels[where] = rank[paths[standing.finest, level]]
    return labels


def born(level: int, members: NDArray[np.uint64], taken: set[UUID]) -> UUID:
    """An id made of the level and the members, so that a run repeated gives it again (version 8)."""
    salt = 0
    while True:
        raw = bytearray(hashlib.sha256(bytes((level, salt)) + members.tobytes()).digest()[:16])
        raw[6], raw[8] = 0x80 | (raw[6] & 0x0F), 0x80 | (raw[8] & 0x3F)
        made = UUID(bytes=bytes(raw))
        if made not in taken:
            taken.add(made)
            return made
        # These members began a community before, which has moved on and kept the id.
        salt += 1


def _rows(
    found: Found, level: int, here: Sequence[UUID], heirs: NDArray[np.int32], ids: Sequence[Sequence[UUID]]
) -> list[CommunityRow]:
    labels = found.hierarchy.labels[level]
    sizes = np.bincount(labels[labels >= 0], minlength=len(here)).tolist()
    contents, totals = as_uuids(found.contents[level]), found.totals[level].tolist()
    inner = found.inner[level].tolist()
    parents = found.hierarchy.parents[level].tolist()
    central = central_nodes(labels, found.weight, len(here))
    return [
        CommunityRow(
            made,
            level,
            ids[level - 1][parents[number]] if level else None,
            sizes[number],
            totals[number],
            inner[number],
            contents[number],
            heir < 0,
            central[number],
        )
        for number, (made, heir) in enumerate(zip(here, heirs.tolist(), strict=True))
    ]


def _members(
    found: Found, standing: Standing, places: NDArray[np.int32], ids: Sequence[Sequence[UUID]]
) -> tuple[Ids, Ids, NDArray[np.float32], Ids]:
    """(nodes, their finest communities, weights) that differ from before, and nodes that are in none now."""
    own = np.zeros((len(found.ids), 2), np.uint64)
    inside = np.zeros(len(found.ids), bool)
    for labels, here in zip(found.hierarchy.labels, ids, strict=False):
        deeper = labels >= 0
        if deeper.any():
            own[deeper] = from_uuids(here)[labels[deeper]]
            inside |= deeper
    before = np.zeros((len(found.ids), 2), np.uint64)
    weight = np.full(len(found.ids), np.nan, np.float32)
    known = places >= 0
    if len(standing.communities):
        before[places[known]] = from_uuids([each.id for each in standing.communities])[standing.finest[known]]
        weight[places[known]] = standing.weight[known]
    changed = inside & ((own != before).any(axis=1) | (weight != found.weight))
    stays = np.zeros(len(places), bool)
    stays[known] = inside[places[known]]
    return found.ids[changed], own[changed], found.weight[changed], standing.nodes[~stays]
