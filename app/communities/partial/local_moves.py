"""Nodes that may move go where modularity gains most, while all others stay where they are. Pure.

The moves of Louvain and Leiden, node by node and then new communities as wholes, but next to communities of
which only sums are known. leidenalg can hold memberships, but takes each held community for a node that might
move: half a second a level for 2,000 free nodes among 20,000 communities, several times what this takes.
"""

from collections import Counter, defaultdict, deque
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from numpy.typing import NDArray

from app.communities.leiden import NOWHERE, Labels, Weights

LEAST_GAIN = 1e-9
"""Relative to a parent's weight: less is rounding."""


@dataclass(slots=True)
class _Unit:
    """A mover, or movers that move as one: whom it weighs how much, and what it is tied to."""

    parent: int
    at: int
    strength: float = 0.0
    outward: dict[int, float] = field(default_factory=partial(defaultdict, float))
    inward: dict[int, float] = field(default_factory=partial(defaultdict, float))


def settle(
    movers: NDArray[np.int64],
    parent: Labels,
    home: Labels,
    first: NDArray[np.int64],
    second: NDArray[np.int64],
    weight: Weights,
    fixed: Labels,
    totals: Weights,
    whole: Weights,
    *,
    seed: int,
) -> Labels:
    """Where the movers go, by place: an existing community, a new one numbered from len(totals), or -1.

    Each may go to communities of its own `parent`, each parent's modularity by itself; `home` is where it comes
    from. Pairs are those within one parent. `fixed` is the community of each node that stays, -1 for movers and
    for nodes in none; `totals` are the weights of what stays of each community, `whole` those of the parents.
    """
    units = _units(movers, parent, home, first, second, weight, fixed, len(totals))
    generator = np.random.default_rng(seed)
    weighs: dict[int, float] = defaultdict(float)
    for unit in units:
        for community in unit.outward:
            weighs[community] = float(totals[community])
    for unit in units:
        weighs[unit.at] += unit.strength
    found = np.full(len(parent), NOWHERE, np.int32)
    members = [[int(mover)] for mover in movers]
    while _move(units, weighs, whole, len(totals), generator):
        units, members, grown = _grouped(units, members, len(totals))
        if not grown:
            break
    for unit, inside in zip(units, members, strict=True):
        found[inside] = unit.at
    return found


def _units(
    movers: NDArray[np.int64],
    parent: Labels,
    home: Labels,
    first: NDArray[np.int64],
    second: NDArray[np.int64],
    weight: Weights,
    fixed: Labels,
    count: int,
) -> list[_Unit]:
    """A unit for each mover: at home if something it is tied to stays there, else with those of the same home."""
    place = np.full(len(parent), NOWHERE, np.int64)
    place[movers] = np.arange(len(movers))
    units = [_Unit(int(parent[mover]), NOWHERE) for mover in movers]
    for ones, others in ((first, second), (second, first)):
        moves = place[ones] >= 0
        for one, other, community, tie in zip(
            place[ones[moves]].tolist(),
            place[others[moves]].tolist(),
            fixed[others[moves]].tolist(),
            weight[moves].tolist(),
            strict=True,
        ):
            units[one].strength += tie
            if other >= 0:
                units[one].inward[other] += tie
            elif community >= 0:
                units[one].outward[community] += tie
    together: dict[tuple[int, int], int] = {}
    for number, (unit, origin) in enumerate(zip(units, home[movers].tolist(), strict=True)):
        unit.at = count + number
        if origin in unit.outward:
            unit.at = origin
        elif origin >= 0:
            unit.at = together.setdefault((unit.parent, origin), unit.at)
    return units


def _move(
    units: list[_Unit], weighs: dict[int, float], whole: Weights, count: int, generator: np.random.Generator
) -> bool:
    """Move each unit to where it gains most until none gains any more; whether one moved."""
    queue = deque(generator.permutation(len(units)).tolist())
    waiting = set(queue)
    # Whoever goes off alone gets a number that nobody has.
    moved, alone = False, max((unit.at for unit in units), default=count) + 1
    alone = max(alone, count)
    while queue:
        number = queue.popleft()
        waiting.discard(number)
        unit = units[number]
        ties = dict(unit.outward)
        for other, tie in unit.inward.items():
            ties[units[other].at] = ties.get(units[other].at, 0.0) + tie
        share = unit.strength / max(float(whole[unit.parent]), 1e-12)
        weighs[unit.at] -= unit.strength
        best, most = unit.at, ties.get(unit.at, 0.0) - share * weighs[unit.at]
        least = LEAST_GAIN * max(unit.strength, 1e-12)
        if most < -least:
            best, most = NOWHERE, 0.0
        for community in sorted(ties):
            gain = ties[community] - share * weighs[community]
            if gain > most + least:
                best, most = community, gain
        if best == NOWHERE:
            best, alone = alone, alone + 1
        weighs[best] += unit.strength
        if best != unit.at:
            unit.at, moved = best, True
            for other in unit.inward:
                if other not in waiting and units[other].at != best:
                    waiting.add(other)
                    queue.append(other)
    return moved


def _grouped(
    units: list[_Unit], members: list[list[int]], count: int
) -> tuple[list[_Unit], list[list[int]], bool]:
    """Units that make a new community become one; those in others stay as they are. And whether any did."""
    groups: dict[tuple[int, int], int] = {}
    place = [
        groups.setdefault((unit.at, NOWHERE if unit.at >= count else number), len(groups))
        for number, unit in enumerate(units)
    ]
    if len(groups) == len(units):
        return units, members, False
    together = Counter(place)
    merged = [_Unit(NOWHERE, NOWHERE) for _ in groups]
    inside: list[list[int]] = [[] for _ in groups]
    for number, unit in zip(place, units, strict=True):
        group = merged[number]
        group.parent, group.at = unit.parent, unit.at
        group.strength += unit.strength
        if together[number] == 1:
            group.outward = unit.outward
        else:
            for community, tie in unit.outward.items():
                group.outward[community] += tie
        for other, tie in unit.inward.items():
            if place[other] != number:
                group.inward[place[other]] += tie
    for number, own in zip(place, members, strict=True):
        inside[number] += own
    return merged, inside, True
