"""Which community of a new run is which of the run before, and what became of the others.

A community keeps its id while most of its members stay (requirement 7.2). Communities are numbers here;
each level is compared with the same level of the run before.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

NOBODY = -1


class Change(StrEnum):
    """What a run says about a community. A plain survivor has none."""

    NEW = "new"
    SPLIT = "split"
    MERGED = "merged"
    GONE = "gone"


@dataclass(frozen=True, slots=True)
class Step:
    """One community's change.

    NEW and SPLIT are about new communities: a split-off one has most of its members from `others[0]`, which
    keeps its id elsewhere or has fallen apart. MERGED and GONE are about old ones: a merged one has most of
    its members in `others[0]`, a new community's number.
    """

    change: Change
    community: int
    others: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Lineage:
    """`heirs[new]` is the old community whose id the new one keeps, or -1; `steps` tell of the rest."""

    heirs: NDArray[np.int32]
    steps: tuple[Step, ...]


def trace(
    old: NDArray[Any],
    new: NDArray[Any],
    *,
    old_count: int,
    new_count: int,
    nodes: NDArray[Any] | None = None,
) -> Lineage:
    """Compare two runs over the same places: a node that one of them lacks is -1 there.

    Old communities are counted with members that are no node any more: they did not stay. `nodes` says how
    many nodes a place stands for, each one if it is not given.
    """
    many = np.ones(len(old)) if nodes is None else np.asarray(nodes, np.float64)
    old_sizes = np.bincount(old[old >= 0], weights=many[old >= 0], minlength=old_count)
    new_sizes = np.bincount(new[new >= 0], weights=many[new >= 0], minlength=new_count)
    both = (old >= 0) & (new >= 0)
    code, place = np.unique(old[both].astype(np.int64) * max(new_count, 1) + new[both], return_inverse=True)
    shared = np.bincount(place, weights=many[both], minlength=len(code))
    before, after = np.divmod(code, max(new_count, 1))
    # More than half of the old one's members: at most one new community can have that.
    stays = shared * 2 > old_sizes[before]
    goes_to = np.full(old_count, NOBODY, np.int32)
    goes_to[before[stays]] = after[stays]
    heirs = np.full(new_count, NOBODY, np.int32)
    # Of several that went into one the largest part gives its id, of equal ones the older: it is written last.
    order = np.lexsort((-before[stays], shared[stays]))
    heirs[after[stays][order]] = before[stays][order]
    comes_from = np.full(new_count, NOBODY, np.int32)
    mostly = shared * 2 > new_sizes[after]
    comes_from[after[mostly]] = before[mostly]
    steps = []
    for community in np.flatnonzero(heirs == NOBODY):
        origin = int(comes_from[community])
        change = Change.NEW if origin == NOBODY else Change.SPLIT
        steps.append(Step(change, int(community), () if origin == NOBODY else (origin,)))
    kept = np.zeros(old_count, bool)
    kept[heirs[heirs >= 0]] = True
    for community in np.flatnonzero(~kept):
        heir = int(goes_to[community])
        change = Change.GONE if heir == NOBODY else Change.MERGED
        steps.append(Step(change, int(community), () if heir == NOBODY else (heir,)))
    return Lineage(heirs, tuple(steps))
