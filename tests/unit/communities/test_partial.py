"""Partial runs: what they sum up is exact, ids last, and modularity stays near that of whole runs
(requirement 7.2).
"""

import numpy as np
import pytest

from app.derived.communities.lineage import Change
from tests.support.partial_world import World, events_of, planted, rows_of, some_changes

ROUNDS, CHANGES = 5, 60
"""Together a twentieth of the graph's edges: after as many a whole run is due."""
MOST_LOST = 0.01
"""Of modularity, between a graph refreshed so often and one detected anew."""


def exact(world: World) -> bool:
    """Whether members, weights and hashes of all communities are those that a whole run would sum up."""
    summed = world.summed_up()
    assert world.rows
    for made, row in world.rows.items():
        other = summed[made]
        assert (row.member_count, row.content_hash) == (other.member_count, other.content_hash)
        assert row.weight == pytest.approx(other.weight, abs=1e-6)
        assert row.inner_weight == pytest.approx(other.inner_weight, abs=1e-6)
        assert row.member_count > 1
        assert row.parent_id is None or world.rows[row.parent_id].level == row.level - 1
    assert {made for made, _ in world.members.values()} <= set(world.rows)
    return True


@pytest.fixture(scope="module")
def refreshed() -> tuple[World, set[object]]:
    """A planted graph after partial runs, and its communities' ids before them."""
    generator = np.random.default_rng(5)
    world = planted(generator)
    world.whole()
    ids: set[object] = set(world.rows)
    for _ in range(ROUNDS):
        some_changes(world, generator, CHANGES)
        world.partial()
    return world, ids


class TestManyPartialRuns:
    def test_what_is_summed_up_is_what_a_whole_run_would_sum_up(
        self, refreshed: tuple[World, set[object]]
    ) -> None:
        assert exact(refreshed[0])

    def test_central_weights_are_those_of_a_whole_run(self, refreshed: tuple[World, set[object]]) -> None:
        world, _ = refreshed
        central = world.central()
        assert len(central) == len(world.members)
        for node, (_, weight) in world.members.items():
            assert weight == pytest.approx(central[node], abs=1e-3)

    def test_ids_last_through_partial_runs_and_the_whole_one_after_them(
        self, refreshed: tuple[World, set[object]]
    ) -> None:
        world, ids = refreshed
        assert len(ids & set(world.rows)) >= 0.9 * len(ids)
        after = world.copy()
        tops = {made for made, row in after.rows.items() if row.level == 0}
        plan = after.whole()
        assert tops <= set(after.rows)
        assert len(plan.moved_members) < 0.1 * len(after.members)

    def test_modularity_stays_near_that_of_a_whole_run(self, refreshed: tuple[World, set[object]]) -> None:
        world, _ = refreshed
        anew = world.copy()
        anew.rows, anew.members = {}, {}
        anew.whole()
        assert world.modularity() >= anew.modularity() - MOST_LOST

    def test_deterministic_for_a_seed(self, refreshed: tuple[World, set[object]]) -> None:
        world = refreshed[0].copy()
        some_changes(world, np.random.default_rng(9), CHANGES)
        twin = world.copy()
        plans = [graph.partial() for graph in (world, twin)]
        assert rows_of(plans[0]) == rows_of(plans[1])
        assert events_of(plans[0]) == events_of(plans[1])
        assert (world.rows, world.members) == (twin.rows, twin.members)


@pytest.mark.parametrize("seed", range(3))
def test_exact_where_communities_are_weak_and_much_moves(seed: int) -> None:
    generator = np.random.default_rng(seed)
    world = World(300)
    for _ in range(450):
        source = int(generator.integers(0, 260))
        some = source // 8 * 8 + int(generator.integers(0, 8))
        world.add_some(
            generator, source, some if generator.random() < 0.5 else int(generator.integers(0, 260))
        )
    world.whole()
    said = set()
    for _ in range(6):
        some_changes(world, generator, 30, size=8)
        said |= {event.change for event in events_of(world.partial())}
        assert exact(world)
    assert {Change.NEW, Change.GONE} <= said


class TestOneChange:
    @pytest.fixture
    def cliques(self) -> World:
        """Two groups of six, each two of a group tied to each other; nodes 12 to 15 are tied to nobody."""
        world = World(16)
        for begin in (0, 6):
            for one in range(6):
                for other in range(one):
                    world.add(begin + one, begin + other)
        world.whole()
        return world

    def test_nothing_changed(self, cliques: World) -> None:
        plan = cliques.partial()
        assert [
            len(part)
            for part in (plan.community_rows, plan.moved_members, plan.deleted_community_ids, plan.events)
        ] == [0] * 4

    def test_a_node_goes_where_it_is_tied_now(self, cliques: World) -> None:
        for edge, (source, target, *_) in list(cliques.edges.items()):
            if 5 in (source, target):
                cliques.remove(edge)
        for target in range(6, 11):
            cliques.add(5, target)
        plan = cliques.partial()
        assert exact(cliques)
        assert sorted(row.member_count for row in cliques.rows.values()) == [5, 7]
        assert len(plan.events) == 0

    def test_a_further_edge_of_the_same_claim_changes_no_fact(self, cliques: World) -> None:
        before = {made: row.content_hash for made, row in cliques.rows.items()}
        cliques.add(1, 0)
        cliques.partial()
        assert {made: row.content_hash for made, row in cliques.rows.items()} == before
        cliques.add(1, 0, relation=3)
        cliques.partial()
        assert len({*before.values()} - {row.content_hash for row in cliques.rows.values()}) == 1

    def test_new_nodes_make_a_new_community(self, cliques: World) -> None:
        for one, other in ((12, 13), (13, 14), (14, 12)):
            cliques.add(one, other)
        plan = cliques.partial()
        assert exact(cliques)
        assert [(event.change, event.level) for event in events_of(plan)] == [(Change.NEW, 0)]
        (row,) = [row for row in rows_of(plan) if row.is_new]
        assert (row.member_count, len(row.central)) == (3, 3)

    def test_what_loses_all_its_edges_is_in_no_community(self, cliques: World) -> None:
        for edge, (source, target, *_) in list(cliques.edges.items()):
            if max(source, target) > 5:
                cliques.remove(edge)
        plan = cliques.partial()
        assert exact(cliques)
        assert [event.change for event in events_of(plan)] == [Change.GONE]
        assert (len(plan.left_node_ids), len(plan.deleted_community_ids)) == (6, 1)

    def test_a_community_that_most_left_for_another_is_merged_into_it(self, cliques: World) -> None:
        for one in range(6):
            for other in range(6, 12):
                cliques.add(one, other)
        plan = cliques.partial()
        assert exact(cliques)
        (event,) = events_of(plan)
        assert event.change == Change.MERGED
        assert event.other_ids == tuple(cliques.rows)

    def test_an_edge_added_and_removed_again_is_no_change(self, cliques: World) -> None:
        cliques.remove(cliques.add(0, 6))
        assert len(cliques.partial().community_rows) == 0
