"""Places of a drawn graph on two levels: groups first, as discs, then the members of each within its disc.

Pure: the same graph stands the same, since nothing is drawn by chance that has no fixed seed.
"""

import random
import threading
from collections.abc import Sequence

import igraph
import numpy as np
from numpy.typing import NDArray

from app.graph.layout.shapes import SIZE

Places = NDArray[np.float64]
"""Shape (n, 2): x and y of each."""
Tie = tuple[int, int, float]
"""Two numbers of things that hang together, and how heavily."""

_SEED = 20_260_101
_GOLDEN = np.pi * (3 - np.sqrt(5))
_GAP, _RING_GAP, _DUST = 1.12, 1.15, 0.45
# How much wider than the rest a square may be for what stands alone, and how near to the rest that comes.
_WIDER, _NEAREST, _MOST_STEPS = (1.0, 1.07, 1.14, 1.22), 0.86, 160
_PULL, _PULLS, _SETTLES, _PAIRS_APART = 0.95, 60, 60, 4_000_000
_SPREADS, _SPREADS_OF_MANY, _MANY = 40, 2, 200
_LEAST_ROUNDS, _MOST_ROUNDS, _PAIRS = 40, 160, 4_000_000
# igraph draws from one source of random numbers in the process.
_drawing = threading.Lock()


def place_discs(sizes: Sequence[float], ties: Sequence[Tie]) -> tuple[Places, NDArray[np.float64]]:
    """Centre and radius of a disc for each group, none over another, in the square.

    A disc's area follows the group's size. Groups that hang together are placed by forces and pushed apart
    until they do not overlap; those without a tie stand in the corners beside them, or where these have no
    room in rings around them, the largest inside.
    """
    count = len(sizes)
    radii = np.sqrt(np.maximum(np.asarray(sizes, np.float64), 1.0))
    centres = np.zeros((count, 2))
    if count == 0:
        return centres, radii
    tied = sorted({each for first, second, _ in ties if first != second for each in (first, second)})
    if tied:
        number = {each: place for place, each in enumerate(tied)}
        inner = [(number[a], number[b], weight) for a, b, weight in ties if a != b]
        area = np.sqrt((radii[tied] ** 2).sum()) * 2
        centres[tied] = _pushed_apart(_forces(len(tied), inner) * area, radii[tied])
    lonely = sorted(set(range(count)) - set(tied), key=lambda each: (-radii[each], each))
    if tied:
        # What nothing is said about stands closer, so that the rest has the room.
        radii[[each for each in lonely if radii[each] <= 1]] = _DUST
    extent = _extent(centres, radii, tied)
    if not any(tied and _in_corners(centres, radii, lonely, extent, each) for each in _WIDER):
        _in_rings(centres, radii, lonely, extent)
    return _into_square(centres, radii)


def place_members(count: int, ties: Sequence[Tie]) -> Places:
    """A place for each member within a disc of radius 1: by forces, spread so that the disc is filled evenly.

    Members without a tie stand at the rim.
    """
    if count == 1:
        return np.zeros((1, 2))
    if not ties:
        return _spiral(count)
    places = _forces(count, ties)
    tied = np.zeros(count, bool)
    tied[[each for first, second, _ in ties for each in (first, second)]] = True
    places -= places[tied].mean(axis=0)
    angle = np.arctan2(places[:, 1], places[:, 0])
    reach = np.hypot(places[:, 0], places[:, 1])
    # Half by their own distance, half by their rank: a few far ones would press all others into the middle.
    rank = np.empty(count)
    rank[np.lexsort((np.arange(count), reach, ~tied))] = np.arange(count)
    even = np.sqrt((rank + 0.5) / count)
    radius = np.where(tied, 0.5 * reach / max(reach[tied].max(), 1e-9) + 0.5 * even, even)
    alone = np.flatnonzero(~tied)
    angle[alone] = np.arange(len(alone)) * _GOLDEN
    return _spread(np.column_stack((np.cos(angle), np.sin(angle))) * radius[:, None])


def _spread(places: Places) -> Places:
    """The places with those that are too near to one another moved apart, none off the disc."""
    count = len(places)
    least = 0.85 * spacing(count)
    for _ in range(_SPREADS if count <= _MANY else _SPREADS_OF_MANY):
        apart = places[:, None, :] - places[None, :, :]
        distance = np.hypot(apart[..., 0], apart[..., 1]) + np.eye(count)
        overlap = np.maximum(least - distance, 0)
        np.fill_diagonal(overlap, 0)
        if not overlap.any():
            break
        places = places + ((overlap / (distance + 1e-9))[..., None] * apart).sum(axis=1) * 0.4
        places = places / np.maximum(np.hypot(*places.T), 1.0)[:, None]
    return places


def spacing(count: int) -> float:
    """How far each of so many stands from the next where they fill a disc of radius 1."""
    return float(np.sqrt(np.pi / max(1, count)))


def _forces(count: int, ties: Sequence[Tie]) -> Places:
    """Places by forces (Fruchterman and Reingold, 1991) from a circle, within about 1 of the middle."""
    drawn = igraph.Graph(n=count, edges=[(first, second) for first, second, _ in ties])
    # By the logarithm: one heavy tie must not draw all others to a point.
    weights = np.log1p(np.asarray([weight for _, _, weight in ties], np.float64)) + 0.1
    with _drawing:
        igraph.set_random_number_generator(random.Random(_SEED))
        found = drawn.layout_fruchterman_reingold(
            weights=weights.tolist(),
            niter=max(_LEAST_ROUNDS, min(_MOST_ROUNDS, _PAIRS // count**2)),
            seed=drawn.layout_circle(),
            grid="auto",
        )
    places = np.asarray(found.coords, np.float64).reshape(-1, 2)
    places -= places.mean(axis=0)
    return places / max(float(np.abs(places).max()), 1e-9)


def _pushed_apart(centres: Places, radii: NDArray[np.float64]) -> Places:
    """The centres moved until no two discs overlap, and drawn together where there is room."""
    count = len(radii)
    reach = (radii[:, None] + radii[None, :]) * _GAP
    np.fill_diagonal(reach, 0)
    # Two at one place have no direction to part in: each has its own.
    turn = np.arange(count) * _GOLDEN
    centres = centres + 1e-6 * np.column_stack((np.cos(turn), np.sin(turn)))
    # Drawn to the middle and pushed apart in turns, so that the room between discs closes; then only apart.
    rounds = max(0.25, min(1.0, _PAIRS_APART / (count * count * (_PULLS + _SETTLES))))
    pulls, settles = round(_PULLS * rounds), round(_SETTLES * rounds)
    share = radii[None, :] / (radii[:, None] + radii[None, :])
    for step in range(pulls + settles):
        if step < pulls:
            centres = centres * _PULL
        apart = centres[:, None, :] - centres[None, :, :]
        distance = np.hypot(apart[..., 0], apart[..., 1]) + 1e-9
        overlap = np.maximum(reach - distance, 0)
        if step >= pulls and not overlap.any():
            break
        centres = centres + ((overlap * share / distance)[..., None] * apart).sum(axis=1) * 0.6
    # Whatever still overlaps is let go of by more room for all.
    apart = centres[:, None, :] - centres[None, :, :]
    distance = np.hypot(apart[..., 0], apart[..., 1]) + np.eye(count) * 1e9
    touching = (radii[:, None] + radii[None, :]) / distance
    return np.asarray(centres * min(max(1.0, float(touching.max()) * 1.02), 6.0))


def _in_rings(centres: Places, radii: NDArray[np.float64], order: Sequence[int], start: float) -> None:
    """Put these discs in rings around the middle, from this distance on."""
    place = 0
    distance = start
    while place < len(order):
        widest = float(radii[order[place]])
        if distance == 0:
            place, distance = place + 1, widest
            continue
        ring = distance + widest * _RING_GAP
        room = 2 * np.pi * ring
        taken: list[int] = []
        while place < len(order) and room > 0:
            room -= 2 * float(radii[order[place]]) * _RING_GAP
            if room < 0 and taken:
                break
            taken.append(order[place])
            place += 1
        total = sum(float(radii[each]) for each in taken)
        angle = 0.0
        for each in taken:
            step = np.pi * float(radii[each]) / total
            angle += step
            centres[each] = ring * np.cos(angle), ring * np.sin(angle)
            angle += step
        distance = ring + widest * _RING_GAP


def _in_corners(
    centres: Places, radii: NDArray[np.float64], lonely: Sequence[int], extent: float, wider: float
) -> bool:
    """Put these discs beside the others, which stand within this extent; return whether all found room.

    What hangs together fills about a circle, whose square has free corners. Groups of their own stand in
    those below, what nothing is said about in those above: neither looks like a part of the other.
    """
    side = extent * wider
    least = float(radii[list(lonely)].min(initial=1.0))
    free = _grid_of_corners(side, extent, 2.01 * _RING_GAP * least)
    if float((radii[list(lonely)] ** 2).sum()) > len(free) * least**2:
        return False
    standing = sorted(set(range(len(radii))) - set(lonely))
    clear = np.full(len(free), np.inf)
    for each in standing:
        np.minimum(clear, np.hypot(*(free - centres[each]).T) - radii[each] - least, out=clear)
    # Off the rim of the square too.
    clear = np.minimum(clear, side - np.abs(free).max(axis=1) + least)
    # The right before the left, and of each what is farthest out.
    preferred = np.lexsort((-np.abs(free).sum(axis=1), free[:, 0] < 0))
    for below in (True, False):
        half = preferred[(free[preferred, 1] >= 0) == below]
        for each in lonely:
            if (radii[each] > _DUST) != below:
                continue
            fits = clear[half] >= radii[each] * _RING_GAP
            if not fits.any():
                return False
            centres[each] = free[half[int(fits.argmax())]]
            np.minimum(clear, np.hypot(*(free - centres[each]).T) - radii[each] * _RING_GAP, out=clear)
    return True


def _grid_of_corners(side: float, extent: float, step: float) -> Places:
    """Places in the corners of a square of this half side, off what stands within this extent."""
    one = np.arange(side - step / 2, -side, -max(step, 2 * side / _MOST_STEPS))
    grid = np.column_stack([each.ravel() for each in np.meshgrid(one, one)])
    return np.asarray(grid[np.hypot(*grid.T) >= extent * _NEAREST])


def _extent(centres: Places, radii: NDArray[np.float64], places: Sequence[int]) -> float:
    if not places:
        return 0.0
    chosen = list(places)
    centres[chosen] -= (centres[chosen].max(axis=0) + centres[chosen].min(axis=0)) / 2
    return float((np.hypot(*centres[chosen].T) + radii[chosen]).max())


def _into_square(centres: Places, radii: NDArray[np.float64]) -> tuple[Places, NDArray[np.float64]]:
    low, high = (centres - radii[:, None]).min(axis=0), (centres + radii[:, None]).max(axis=0)
    scale = SIZE / max(float((high - low).max()), 1e-9)
    return (centres - (low + high) / 2) * scale + SIZE / 2, radii * scale


def _spiral(count: int) -> Places:
    """As the seeds of a sunflower stand."""
    rank = np.arange(count)
    radius, angle = np.sqrt((rank + 0.5) / count), rank * _GOLDEN
    return np.column_stack((np.cos(angle), np.sin(angle))) * radius[:, None]
