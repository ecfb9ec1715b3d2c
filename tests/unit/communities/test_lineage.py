"""A community keeps its id while most of its members stay (requirement 7.2)."""

import numpy as np

from app.derived.communities.lineage import Change, Lineage, Step, trace_lineage


def run(old: list[int], new: list[int]) -> Lineage:
    return trace_lineage(
        np.array(old, np.int32), np.array(new, np.int32), old_count=max(old, default=-1) + 1,
        new_count=max(new, default=-1) + 1,
    )  # fmt: skip


class TestTrace:
    def test_the_same_members_under_other_numbers_are_the_same_communities(self) -> None:
        found = run([0, 0, 0, 1, 1, 1], [1, 1, 1, 0, 0, 0])
        assert found.predecessors.tolist() == [1, 0]
        assert found.list_change_steps() == []

    def test_it_keeps_its_id_while_most_of_its_members_stay(self) -> None:
        assert run([0] * 5 + [-1] * 4, [0, 0, 0, -1, -1, 0, 0, 0, 0]).predecessors.tolist() == [0]

    def test_half_of_its_members_is_not_most(self) -> None:
        found = run([0] * 4, [0, 0, 1, 1])
        assert found.predecessors.tolist() == [-1, -1]
        assert found.list_change_steps() == [
            Step(Change.SPLIT, 0, (0,)),
            Step(Change.SPLIT, 1, (0,)),
            Step(Change.GONE, 0),
        ]

    def test_a_part_that_left_says_where_it_split_from(self) -> None:
        found = run([0] * 7, [0] * 4 + [1] * 3)
        assert found.predecessors.tolist() == [0, -1]
        assert found.list_change_steps() == [Step(Change.SPLIT, 1, (0,))]

    def test_of_two_that_merged_the_larger_gives_its_id(self) -> None:
        found = run([0] * 3 + [1] * 4, [0] * 7)
        assert found.predecessors.tolist() == [1]
        assert found.list_change_steps() == [Step(Change.MERGED, 0, (0,))]

    def test_of_two_equal_ones_that_merged_the_first_gives_its_id(self) -> None:
        found = run([0] * 3 + [1] * 3, [0] * 6)
        assert found.predecessors.tolist() == [0]
        assert found.list_change_steps() == [Step(Change.MERGED, 1, (0,))]

    def test_unknown_members_make_a_new_community(self) -> None:
        found = run([0, 0, -1, -1, -1], [0, 0, 1, 1, 1])
        assert found.predecessors.tolist() == [0, -1]
        assert found.list_change_steps() == [Step(Change.NEW, 1)]

    def test_half_of_them_from_one_is_not_most(self) -> None:
        found = run([0] * 6 + [-1] * 2, [0] * 4 + [1] * 4)
        assert found.predecessors.tolist() == [0, -1]
        assert found.list_change_steps() == [Step(Change.NEW, 1)]

    def test_a_community_whose_members_left_the_graph_is_gone(self) -> None:
        found = run([0, 0, 0, 1, 1], [-1, -1, -1, 0, 0])
        assert found.predecessors.tolist() == [1]
        assert found.list_change_steps() == [Step(Change.GONE, 0)]

    def test_members_that_are_no_node_any_more_did_not_stay(self) -> None:
        assert run([0] * 5, [-1, -1, -1, 0, 0]).predecessors.tolist() == [-1]

    def test_the_first_run_has_new_communities_only(self) -> None:
        found = run([-1] * 4, [0, 0, 1, 1])
        assert found.predecessors.tolist() == [-1, -1]
        assert {step.change for step in found.list_change_steps()} == {Change.NEW}

    def test_nothing_before_and_nothing_after(self) -> None:
        assert run([], []).list_change_steps() == []
        assert run([-1, -1], [-1, -1]).predecessors.tolist() == []


def test_no_id_is_given_twice() -> None:
    """Over random runs: ids are kept by one at most, and only where more than half of the members stay."""
    generator = np.random.default_rng(2)
    for _ in range(40):
        old = generator.integers(-1, 6, 60).astype(np.int32)
        new = np.where(generator.random(60) < 0.7, old, generator.integers(-1, 6, 60)).astype(np.int32)
        found = trace_lineage(old, new, old_count=6, new_count=6)
        kept = found.predecessors[found.predecessors >= 0].tolist()
        assert len(kept) == len(set(kept))
        for community, heir in enumerate(found.predecessors.tolist()):
            if heir >= 0:
                stayed = np.count_nonzero((old == heir) & (new == community))
                assert 2 * stayed > np.count_nonzero(old == heir)
