"""Places of a drawn graph: the same each time, discs apart, members inside."""

import numpy as np
import pytest

from app.graph.layout.layout import place_discs, place_members
from app.graph.layout.shapes import SIZE


def ring(count: int) -> list[tuple[int, int, float]]:
    return [(number, (number + 1) % count, 1.0) for number in range(count)]


class TestDiscs:
    def test_none_is_no_fault(self) -> None:
        centres, radii = place_discs([], [])
        assert len(centres) == len(radii) == 0

    @pytest.mark.parametrize("count", [1, 2, 40, 150])
    def test_none_lies_over_another(self, count: int) -> None:
        sizes = [1 + number * 7 % 90 for number in range(count)]
        centres, radii = place_discs(sizes, ring(count) if count > 2 else [])
        for one in range(count):
            for other in range(one):
                assert np.hypot(*(centres[one] - centres[other])) >= radii[one] + radii[other] - 1e-6

    def test_all_stand_in_the_square(self) -> None:
        centres, radii = place_discs([5.0] * 30, ring(20))
        assert (centres - radii[:, None]).min() >= -1e-6
        assert (centres + radii[:, None]).max() <= SIZE + 1e-6

    def test_a_disc_s_area_follows_its_size(self) -> None:
        _, radii = place_discs([100.0, 400.0, 4.0], ring(3))
        assert radii[1] / radii[0] == pytest.approx(2)

    def test_what_hangs_together_stands_nearer(self) -> None:
        ties = [(0, 1, 9.0), (1, 2, 9.0), (0, 2, 9.0), (3, 4, 9.0), (4, 5, 9.0), (3, 5, 9.0), (2, 3, 0.1)]
        centres, _ = place_discs([10.0] * 6, ties)
        near = np.hypot(*(centres[0] - centres[1]))
        assert near < np.hypot(*(centres[0] - centres[4]))

    def test_what_stands_alone_fills_the_corners_and_makes_the_picture_hardly_larger(self) -> None:
        together = [40.0, 30.0, 30.0, 20.0, 20.0, 10.0, 10.0, 10.0]
        alone = [3.0, 2.0, 2.0, *[1.0] * 40]
        ties = ring(len(together))
        centres, radii = place_discs(together + alone, ties)
        _, without = place_discs(together, ties)
        assert radii[0] > 0.8 * without[0]
        for one in range(len(radii)):
            for other in range(one):
                assert np.hypot(*(centres[one] - centres[other])) >= radii[one] + radii[other] - 1e-6
        groups, nothing_said = centres[len(together) : -40], centres[-40:]
        assert nothing_said[:, 1].max() < groups[:, 1].min()

    def test_more_than_the_corners_hold_stands_in_rings(self) -> None:
        centres, radii = place_discs([5.0, 4.0, *[1.0] * 900], [(0, 1, 1.0)])
        reach = np.hypot(*(centres - centres[:2].mean(axis=0)).T) + radii
        assert reach[2:].min() > reach[:2].max() * 0.9
        assert (centres - radii[:, None]).min() >= -1e-6


class TestMembers:
    @pytest.mark.parametrize("count", [0, 1, 2, 50, 400])
    def test_the_same_graph_stands_the_same_within_its_disc(self, count: int) -> None:
        ties = [(0, number, 1.0) for number in range(1, count)]
        places = place_members(count, ties)
        assert places.shape == (count, 2)
        assert (places == place_members(count, ties)).all()
        assert np.hypot(*places.T).max(initial=0) <= 1 + 1e-9

    def test_those_without_a_tie_stand_at_the_rim(self) -> None:
        places = place_members(30, ring(20))
        reach = np.hypot(*places.T)
        assert reach[20:].min() > np.median(reach[:20])
