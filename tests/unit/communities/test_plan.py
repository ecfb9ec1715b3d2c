"""What a run writes: ids that stay, rows that differ, and nothing else (requirement 7.2)."""

from uuid import UUID

import numpy as np

from app.db.arrays import convert_ids_to_uuids
from app.derived.communities.graph_arrays import Ids, convert_uuids_to_ids, hash_members_by_level
from app.derived.communities.leiden import NO_COMMUNITY, CommunityHierarchy
from app.derived.communities.lineage import Change
from app.derived.communities.plan import (
    DetectedRun,
    Plan,
    StoredRun,
    compute_salience,
    find_central_nodes,
    plan_changes_between_runs,
)
from tests.support.partial_world import events_of, put, rows_of, standing_rows


def ids_of(count: int, *, begin: int = 0) -> Ids:
    return convert_uuids_to_ids([UUID(int=(7 << 76) + begin + number) for number in range(count)])


def found(ids: Ids, *labels: list[int], weight: float = 1.0) -> DetectedRun:
    """A run with these labels by level; a parent is where its first member is one level up."""
    levels = [np.array(label, np.int32) for label in labels]
    counts = [int(level.max(initial=-1)) + 1 for level in levels]
    parents = [np.full(counts[0], NO_COMMUNITY, np.int32)]
    for level in range(1, len(levels)):
        parents.append(
            np.array(
                [
                    levels[level - 1][np.flatnonzero(levels[level] == number)[0]]
                    for number in range(counts[level])
                ],
                np.int32,
            )
        )
    births = hash_members_by_level(ids, levels, counts)
    return DetectedRun(
        ids,
        CommunityHierarchy(tuple(levels), tuple(parents)),
        np.full(len(ids), weight, np.float32),
        np.full(len(ids), weight),
        births,
        births,
        [np.ones(count) for count in counts],
        [np.ones(count) for count in counts],
    )


def applied(plan: Plan, before: StoredRun = StoredRun()) -> StoredRun:  # noqa: B008
    """What stands after the plan was written."""
    own = convert_ids_to_uuids(before.ids)
    members = {
        node: (own[finest], weight)
        for node, finest, weight in zip(
            convert_ids_to_uuids(before.node_ids),
            before.finest_labels.tolist(),
            before.weight.tolist(),
            strict=True,
        )
    }
    put(plan, members)
    return standing_rows(rows_of(plan), members)


def in_order_of_nodes(plan: Plan) -> list[UUID]:
    """The communities that members are put into."""
    return [
        made
        for _, made in sorted(
            zip(
                convert_ids_to_uuids(plan.moved_members.node_ids),
                convert_ids_to_uuids(plan.moved_members.community_ids),
                strict=True,
            )
        )
    ]


class TestMakePlan:
    def test_two_runs_from_nothing_give_the_same_ids(self) -> None:
        one, two = (
            plan_changes_between_runs(found(ids_of(6), [0, 0, 0, 1, 1, 1]), StoredRun()) for _ in range(2)
        )
        assert [row.id for row in rows_of(one)] == [row.id for row in rows_of(two)]
        assert len({row.id for row in rows_of(one)}) == 2
        assert all(row.id.version == 8 for row in rows_of(one))

    def test_a_second_run_of_the_same_changes_nothing(self) -> None:
        run = found(ids_of(8), [0] * 4 + [1] * 4, [0, 0, 1, 1] + [NO_COMMUNITY] * 4)
        standing = applied(plan_changes_between_runs(run, StoredRun()))
        again = plan_changes_between_runs(run, standing)
        assert again.community_rows.is_new.tolist() == [False] * 4
        assert len(again.moved_members) == len(again.left_node_ids) == 0
        assert len(again.deleted_community_ids) == len(again.events) == 0

    def test_a_node_stands_in_its_finest_community_whose_parents_hold_it(self) -> None:
        plan = plan_changes_between_runs(
            found(ids_of(5), [0, 0, 0, 0, 0], [0, 0, 1, 1, NO_COMMUNITY]), StoredRun()
        )
        top, first, second = rows_of(plan)
        assert [top.parent_id, first.parent_id, second.parent_id] == [None, top.id, top.id]
        assert in_order_of_nodes(plan) == [first.id, first.id, second.id, second.id, top.id]
        assert plan.community_rows.members.tolist() == [5, 2, 2]

    def test_ids_and_titles_stay_while_most_members_stay(self) -> None:
        standing = applied(plan_changes_between_runs(found(ids_of(7), [0] * 4 + [1] * 3), StoredRun()))
        plan = plan_changes_between_runs(found(ids_of(7), [1] * 3 + [0] * 4), standing)
        assert set(convert_ids_to_uuids(plan.community_rows.ids)) == set(convert_ids_to_uuids(standing.ids))
        assert not plan.community_rows.is_new.any()
        assert len(plan.events) == 0
        assert convert_ids_to_uuids(plan.moved_members.node_ids) == convert_ids_to_uuids(ids_of(7)[3:4])

    def test_split_merged_new_and_gone_are_said(self) -> None:
        ids = ids_of(16)
        standing = applied(
            plan_changes_between_runs(found(ids, [0] * 4 + [1] * 3 + [2] * 4 + [3] * 5), StoredRun())
        )
        whole, joined, other, dying = convert_ids_to_uuids(standing.ids)
        grown = ids_of(14)
        # The first falls into halves, the second joins the third, of the fourth two members are left.
        plan = plan_changes_between_runs(found(grown, [0, 0, 1, 1] + [2] * 7 + [3, 3, 3]), standing)
        events = {(event.change, event.community_id): event.other_ids for event in events_of(plan)}
        assert events[Change.MERGED, joined] == (other,)
        assert (Change.GONE, whole) in events
        assert sorted(others for (change, _), others in events.items() if change is Change.SPLIT) == [
            (whole,),
            (whole,),
        ]
        assert (Change.GONE, dying) not in events
        assert set(convert_ids_to_uuids(plan.deleted_community_ids)) == {whole, joined}
        assert convert_ids_to_uuids(plan.left_node_ids) == convert_ids_to_uuids(ids[14:])

    def test_new_nodes_make_a_new_community(self) -> None:
        standing = applied(plan_changes_between_runs(found(ids_of(3), [0, 0, 0]), StoredRun()))
        plan = plan_changes_between_runs(found(ids_of(6), [0, 0, 0, 1, 1, 1]), standing)
        assert [event.change for event in events_of(plan)] == [Change.NEW]
        assert len(plan.moved_members) == 3

    def test_an_id_that_moved_on_is_not_given_again(self) -> None:
        """Members that began a community, which keeps its id with others, come together anew."""
        ids = ids_of(7)
        first = applied(plan_changes_between_runs(found(ids, [0, 0, 0] + [NO_COMMUNITY] * 4), StoredRun()))
        second = applied(plan_changes_between_runs(found(ids, [0, 0, NO_COMMUNITY] + [0] * 4), first), first)
        third = plan_changes_between_runs(found(ids, [0, 0, 0, 1, 1, 1, 1]), second)
        made = set(convert_ids_to_uuids(third.community_rows.ids))
        assert convert_ids_to_uuids(first.ids)[0] in made
        assert len(made) == 2
        assert convert_ids_to_uuids(third.community_rows.ids)[1] == convert_ids_to_uuids(first.ids)[0]

    def test_no_community_any_more(self) -> None:
        standing = applied(plan_changes_between_runs(found(ids_of(4), [0] * 4, [0, 0, 1, 1]), StoredRun()))
        plan = plan_changes_between_runs(found(ids_of(0), []), standing)
        assert len(plan.community_rows) == 0
        assert len(plan.deleted_community_ids) == 3
        assert len(plan.left_node_ids) == 4


def test_central_nodes_are_the_three_most_salient_of_each() -> None:
    labels = np.array([0, 0, 0, 0, 1, NO_COMMUNITY, 1], np.int32)
    weight = np.array([1, 4, 2, 3, 5, 9, 5], np.float32)
    assert find_central_nodes(labels, weight, 2).tolist() == [[1, 3, 2], [4, 6, NO_COMMUNITY]]


def test_what_is_tied_into_many_communities_names_none() -> None:
    """A country with more ties here than anybody has most of its ties elsewhere."""
    country, twice, once = compute_salience(np.array([5.0, 4.0, 2.0]), np.array([40.0, 5.0, 2.0]))
    assert twice > once > country
    assert compute_salience(np.zeros(1), np.zeros(1)).tolist() == [0.0]
