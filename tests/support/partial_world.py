"""A space's graph and communities in memory, for runs whole and partial without a database."""

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from uuid import UUID

import numpy as np

from app.db.arrays import convert_ids_to_uuids
from app.derived.communities.graph_arrays import (
    GraphArrays,
    Ids,
    convert_uuids_to_ids,
    hash_members_and_facts_by_level,
    hash_members_by_level,
)
from app.derived.communities.incremental.edge_changes import (
    Edges,
    Note,
    concatenate_edges,
    reconstruct_edges_before_changes,
)
from app.derived.communities.incremental.neighborhood import (
    COMMUNITY_DTYPE,
    EdgeChanges,
    Memberships,
    Neighborhood,
    build_communities_from_rows,
    build_neighborhood,
    sort_unique_ids,
)
from app.derived.communities.incremental.partition import (
    find_moves_that_maximise_modularity,
    plan_writes_of_moves,
)
from app.derived.communities.job import compute_communities_of_graph
from app.derived.communities.leiden import (
    NO_COMMUNITY,
    Labels,
    build_heavy_pairs,
    compute_node_strengths,
    sum_values_by_community,
)
from app.derived.communities.lineage import Change
from app.derived.communities.plan import Plan, StoredRun, plan_changes_between_runs
from app.derived.communities.repository import ReadGraph
from app.derived.communities.shapes import DetectionOptions

WANTED = DetectionOptions(0.5, 3, 1)
Edge = tuple[int, int, float, int]


@dataclass(frozen=True)
class CommunityRow:
    """A community of a plan, as one value."""

    id: UUID
    level: int
    parent_id: UUID | None
    member_count: int
    weight: float
    inner_weight: float
    content_hash: UUID
    is_new: bool
    central: tuple[int, ...]


@dataclass(frozen=True)
class EventRow:
    """An event of a plan, as one value."""

    community_id: UUID
    change: Change
    level: int
    other_ids: tuple[UUID, ...]


def rows_of(plan: Plan) -> list[CommunityRow]:
    rows = plan.community_rows
    return [
        CommunityRow(own, level, parent if parent.int else None, members, weight, inner, content, is_new,
                     tuple(index for index in central if index >= 0))
        for own, level, parent, members, weight, inner, content, is_new, central in zip(
            convert_ids_to_uuids(rows.ids), rows.level.tolist(), convert_ids_to_uuids(rows.parents),
            rows.members.tolist(),
            rows.weight.tolist(), rows.inner_weights.tolist(), convert_ids_to_uuids(rows.contents),
            rows.is_new.tolist(), rows.central_nodes.tolist(), strict=True,
        )
    ]  # fmt: skip


def events_of(plan: Plan) -> list[EventRow]:
    events = plan.events
    return [
        EventRow(own, Change(change), level, (other,) if other.int else ())
        for own, change, level, other in zip(
            convert_ids_to_uuids(events.ids),
            events.change.tolist(),
            events.level.tolist(),
            convert_ids_to_uuids(events.other_ids),
            strict=True,
        )
    ]


def standing_rows(order: list[CommunityRow], members: dict[UUID, tuple[UUID, float]]) -> StoredRun:
    """Communities, parents first, and their members, as a run reads them."""
    place = {row.id: number for number, row in enumerate(order)}
    return StoredRun(
        convert_uuids_to_ids([row.id for row in order]),
        np.array([row.level for row in order], np.int64),
        np.array([place[row.parent_id] if row.parent_id else -1 for row in order], np.int64),
        convert_uuids_to_ids(list(members)),
        np.array([place[made] for made, _ in members.values()], np.int32),
        np.array([weight for _, weight in members.values()], np.float32),
    )


def put(plan: Plan, members: dict[UUID, tuple[UUID, float]]) -> None:
    """Put members where the plan has them; who is said to be in none so far must not be in one."""
    for node, made, weight, is_new in zip(
        convert_ids_to_uuids(plan.moved_members.node_ids),
        convert_ids_to_uuids(plan.moved_members.community_ids),
        plan.moved_members.weight.tolist(),
        plan.moved_members.is_new.tolist(), strict=True,
    ):  # fmt: skip
        assert is_new == (node not in members)
        members[node] = (made, weight)
    for node in convert_ids_to_uuids(plan.left_node_ids):
        del members[node]


@dataclass
class World:
    """Nodes are numbers; what changed since the last run is noted as the triggers note it."""

    nodes: int
    edges: dict[UUID, Edge] = field(default_factory=dict)
    notes: list[Note] = field(default_factory=list)
    rows: dict[UUID, CommunityRow] = field(default_factory=dict)
    members: dict[UUID, tuple[UUID, float]] = field(default_factory=dict)
    weight: float = 0.0
    made: int = 0

    def node(self, number: int) -> UUID:
        return UUID(int=(7 << 76) + number * 0x9E3779B97F4A7C15)

    def add(self, source: int, target: int, weight: float = 1.0, relation: int = 0) -> UUID:
        self.made += 1
        edge = UUID(int=self.made)
        self.edges[edge] = (source, target, weight, relation)
        self.notes.append(Note(edge, [edge], None, None, None, None, None))
        return edge

    def add_some(self, generator: np.random.Generator, source: int, target: int) -> None:
        """An edge of some weight and relation, unless it would be a loop."""
        if source != target:
            self.add(
                source, target, round(float(generator.uniform(0.3, 1.0)), 3), int(generator.integers(0, 5))
            )

    def copy(self) -> "World":
        return replace(
            self,
            edges=dict(self.edges),
            notes=list(self.notes),
            rows=dict(self.rows),
            members=dict(self.members),
        )

    def remove(self, edge: UUID) -> None:
        source, target, weight, relation = self.edges.pop(edge)
        self.notes.append(Note(edge, [], edge, self.node(source), self.node(target), weight, relation))

    def as_edges(self, ids: list[UUID]) -> Edges:
        rows = [self.edges[edge_id] for edge_id in ids if edge_id in self.edges]
        return Edges(
            convert_uuids_to_ids([self.node(row[0]) for row in rows]),
            convert_uuids_to_ids([self.node(row[1]) for row in rows]),
            np.array([row[2] for row in rows], np.float64),
            np.array([row[3] for row in rows], np.int64),
        )

    def graph(self) -> GraphArrays:
        # A node's number is the place of its id here, for these ids ascend in the order below.
        order = sorted(range(self.nodes), key=self.node)
        place = np.empty(self.nodes, np.int32)
        place[order] = np.arange(self.nodes)
        rows = np.array(list(self.edges.values()), np.float64).reshape(-1, 4)
        return GraphArrays(
            convert_uuids_to_ids([self.node(number) for number in order]),
            place[rows[:, 0].astype(int)],
            place[rows[:, 1].astype(int)],
            rows[:, 2].astype(np.float32),
            rows[:, 3].astype(np.int32),
        )

    def whole(self) -> Plan:
        found, pairs = compute_communities_of_graph(
            ReadGraph(self.graph(), 1, datetime.now(UTC), convert_uuids_to_ids([])), WANTED
        )
        order = sorted(self.rows.values(), key=lambda row: (row.level, row.id))
        plan = plan_changes_between_runs(found, standing_rows(order, self.members))
        self._apply(plan)
        self.weight = 2 * float(pairs.weights.sum())
        return plan

    def partial(self) -> Plan:
        """A partial run; only free nodes and what touches them is given to it."""
        ids, before = reconstruct_edges_before_changes(self.notes)
        changed = EdgeChanges(before, self.as_edges(ids))
        free = changed.list_end_node_ids()
        while True:
            around = self.around(free, changed)
            weight = self.weight + 2 * float(around.weights_now.sum() - around.weights_before.sum())
            moved = find_moves_that_maximise_modularity(
                around, graph_weight=weight, level_count=WANTED.levels, seed=WANTED.seed
            )
            if not moved.deserted_labels:
                break
            deserted = set(convert_ids_to_uuids(around.communities.ids[moved.deserted_labels]))
            freed = [node for node, (made, _) in self.members.items() if deserted & set(self.path(made))]
            free = sort_unique_ids(np.concatenate((free, convert_uuids_to_ids(freed))))
        plan = plan_writes_of_moves(around, moved, convert_uuids_to_ids(list(self.rows)))
        self._apply(plan)
        self.weight = weight
        return plan

    def around(self, free: Ids, changed: EdgeChanges) -> Neighborhood:
        inside = set(convert_ids_to_uuids(free))
        touching = [
            edge
            for edge, (source, target, *_) in self.edges.items()
            if inside & {self.node(source), self.node(target)}
        ]
        first, second = changed.select_pairs_not_touching(free)
        between = {
            frozenset(pair)
            for pair in zip(convert_ids_to_uuids(first), convert_ids_to_uuids(second), strict=True)
        }
        touching += [
            edge
            for edge, (source, target, *_) in self.edges.items()
            if frozenset((self.node(source), self.node(target))) in between
        ]
        edges = self.as_edges(touching)
        every = concatenate_edges((edges, changed.edges_before))
        near = set(convert_ids_to_uuids(np.concatenate((free, every.source, every.target))))
        placed = [(node, *self.members[node]) for node in sorted(near) if node in self.members]
        rows = {community_id for _, made, _ in placed for community_id in self.path(made)}
        divided = {row.parent_id for row in self.rows.values()}
        communities = np.zeros(len(rows), COMMUNITY_DTYPE)
        for place, row in enumerate(self.rows[community_id] for community_id in rows):
            own, content = convert_uuids_to_ids([row.id])[0], convert_uuids_to_ids([row.content_hash])[0]
            parent = convert_uuids_to_ids([row.parent_id or UUID(int=0)])[0]
            communities[place] = (
                own, parent, row.level, row.member_count, row.weight, row.inner_weight, content, row.id in divided  # noqa: E501
            )  # fmt: skip
        members = Memberships(
            convert_uuids_to_ids([node for node, _, _ in placed]),
            convert_uuids_to_ids([made for _, made, _ in placed]),
            np.array([weight for *_, weight in placed], np.float64),
        )
        return build_neighborhood(
            free,
            edges,
            changed,
            members,
            build_communities_from_rows(communities),
            min_weight=0.5,
            level_count=WANTED.levels,
        )

    def path(self, made: UUID) -> list[UUID]:
        path = [made]
        while (above := self.rows[path[-1]].parent_id) is not None:
            path.append(above)
        return path

    def _apply(self, plan: Plan) -> None:
        for row in rows_of(plan):
            self.rows[row.id] = row
        put(plan, self.members)
        for made in convert_ids_to_uuids(plan.deleted_community_ids):
            del self.rows[made]
        self.notes = []

    def summed_up(self) -> dict[UUID, CommunityRow]:
        """What a whole run would write of the communities as they stand; titles and fresh ones aside."""
        graph = self.graph()
        pairs = build_heavy_pairs(self.nodes, graph.source, graph.target, graph.weight, min_weight=0.5)
        order = sorted(self.rows.values(), key=lambda row: (row.level, row.id))
        counts = [sum(row.level == level for row in order) for level in range(WANTED.levels)]
        place = {row.id: number for number, row in enumerate(order)}
        labels = self.labels({row.id: place[row.id] - sum(counts[: row.level]) for row in order})
        strength = [
            compute_node_strengths(pairs),
            *(compute_node_strengths(pairs, community_labels) for community_labels in labels),
        ]
        outer = [sum_values_by_community(a, b, c) for a, b, c in zip(strength, labels, counts, strict=False)]
        inner = [
            sum_values_by_community(a, b, c) for a, b, c in zip(strength[1:], labels, counts, strict=True)
        ]
        hashes = hash_members_and_facts_by_level(
            graph, labels, hash_members_by_level(graph.ids, labels, counts)
        )
        found = {}
        for row in order:
            number = place[row.id] - sum(counts[: row.level])
            found[row.id] = replace(
                row,
                member_count=int((labels[row.level] == number).sum()),
                weight=float(outer[row.level][number]),
                inner_weight=float(inner[row.level][number]),
                content_hash=convert_ids_to_uuids(hashes[row.level][number][None])[0],
            )
        return found

    def central(self) -> dict[UUID, float]:
        """Each node's weight within its community of level 0."""
        graph = self.graph()
        pairs = build_heavy_pairs(self.nodes, graph.source, graph.target, graph.weight, min_weight=0.5)
        numbers = {made: number for number, made in enumerate(self.rows)}
        weights = compute_node_strengths(pairs, self.labels(numbers)[0])
        return dict(zip(convert_ids_to_uuids(graph.ids), weights.tolist(), strict=True))

    def labels(self, numbers: dict[UUID, int]) -> list[Labels]:
        """By level the numbers of the nodes' communities, in the order of the nodes' ids."""
        place = {node: number for number, node in enumerate(convert_ids_to_uuids(self.graph().ids))}
        labels = [np.full(self.nodes, NO_COMMUNITY, np.int32) for _ in range(WANTED.levels)]
        for node, (made, _) in self.members.items():
            for community_id in self.path(made):
                labels[self.rows[community_id].level][place[node]] = numbers[community_id]
        return labels

    def modularity(self) -> float:
        top = [row for row in self.rows.values() if row.level == 0]
        return sum(row.inner_weight / self.weight - (row.weight / self.weight) ** 2 for row in top)


def planted(generator: np.random.Generator, *, groups: int = 20, size: int = 30) -> World:
    """Groups of densely connected nodes, with parts that are connected more densely."""
    world = World(groups * size)
    for number in range(groups * size):
        group, part = number // size * size, number // 10 * 10
        for target in generator.integers(0, 10, 5):
            world.add_some(generator, number, part + int(target))
        for target in generator.integers(0, size, 2):
            world.add_some(generator, number, group + int(target))
        if generator.random() < 0.3:
            world.add_some(generator, number, int(generator.integers(0, groups * size)))
    return world


def some_changes(world: World, generator: np.random.Generator, count: int, *, size: int = 30) -> None:
    """Half as many edges go as change, half as many come: mostly within groups of this size."""
    standing = list(world.edges)
    for place in generator.permutation(len(standing))[: count // 2]:
        world.remove(standing[place])
    for _ in range(count // 2):
        source, target = (int(end) for end in generator.integers(0, world.nodes, 2))
        if generator.random() < 0.8:
            target = min(world.nodes - 1, source // size * size + int(generator.integers(0, size)))
        world.add_some(generator, source, target)
