"""The lineage of communities: which new one continues which old one, and what became of the other old ones.

A community keeps its id if more than half of its members stay (requirement 7.2). Communities are numbers
here; each level is compared with the same level of the previous run.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

NO_COMMUNITY = -1


class Change(StrEnum):
    """A run's verdict on a community. A plain survivor has none."""

    NEW = "new"
    SPLIT = "split"
    MERGED = "merged"
    GONE = "gone"


@dataclass(frozen=True, slots=True)
class Step:
    """One community's change.

    NEW and SPLIT concern new communities: a split one has most of its members from `other_communities[0]`,
    which keeps its id elsewhere or no longer exists. MERGED and GONE concern old ones: a merged one has most
    of its members in `other_communities[0]`, a new community's number.
    """

    change: Change
    community: int
    other_communities: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Lineage:
    """Communities of two runs by number; -1 is none.

    `predecessors[new]` is the old community whose id the new one keeps, `origins[new]` the one that most of
    its members come from; `successors[old]` is the new community with most of the old one's members.
    """

    predecessors: NDArray[np.int32]
    origins: NDArray[np.int32]
    successors: NDArray[np.int32]

    @property
    def new_communities_without_old_id(self) -> NDArray[np.int64]:
        """Return the new communities that keep no id."""
        return np.flatnonzero(self.predecessors == NO_COMMUNITY)

    @property
    def old_communities_without_heir(self) -> NDArray[np.int64]:
        """Return the old communities whose id no new one keeps."""
        has_heir = np.zeros(len(self.successors), bool)
        has_heir[self.predecessors[self.predecessors >= 0]] = True
        return np.flatnonzero(~has_heir)

    def list_change_steps(self) -> list[Step]:
        """Return the changes as objects; for few communities."""
        changes = []
        for communities, counterparts, change_without_other, change_with_other in (
            (self.new_communities_without_old_id, self.origins, Change.NEW, Change.SPLIT),
            (self.old_communities_without_heir, self.successors, Change.GONE, Change.MERGED),
        ):
            for community, counterpart in zip(
                communities.tolist(), counterparts[communities].tolist(), strict=True
            ):
                changes.append(
                    Step(change_without_other, community)
                    if counterpart == NO_COMMUNITY
                    else Step(change_with_other, community, (counterpart,))
                )
        return changes


def trace_lineage(
    old_labels: NDArray[Any],
    new_labels: NDArray[Any],
    *,
    old_count: int,
    new_count: int,
    nodes: NDArray[Any] | None = None,
) -> Lineage:
    """Compare two runs by the labels of the same nodes; the label of a node that one run lacks is -1.

    Old communities include deleted members, who count as not staying. `nodes` is the number of nodes of each
    entry, 1 by default.
    """
    node_counts = np.ones(len(old_labels)) if nodes is None else np.asarray(nodes, np.float64)
    old_sizes = np.bincount(
        old_labels[old_labels >= 0], weights=node_counts[old_labels >= 0], minlength=old_count
    )
    new_sizes = np.bincount(
        new_labels[new_labels >= 0], weights=node_counts[new_labels >= 0], minlength=new_count
    )
    is_in_both = (old_labels >= 0) & (new_labels >= 0)
    pair_codes, pair_indices = np.unique(
        old_labels[is_in_both].astype(np.int64) * max(new_count, 1) + new_labels[is_in_both],
        return_inverse=True,
    )
    shared_counts = np.bincount(pair_indices, weights=node_counts[is_in_both], minlength=len(pair_codes))
    old_numbers, new_numbers = np.divmod(pair_codes, max(new_count, 1))
    # More than half of the old one's members: true for at most one new community.
    is_majority = shared_counts * 2 > old_sizes[old_numbers]
    successors = np.full(old_count, NO_COMMUNITY, np.int32)
    successors[old_numbers[is_majority]] = new_numbers[is_majority]
    predecessors = np.full(new_count, NO_COMMUNITY, np.int32)
    # If several old communities went into one, the largest part gives its id, of equal parts that of the
    # older community: it is written last.
    order = np.lexsort((-old_numbers[is_majority], shared_counts[is_majority]))
    predecessors[new_numbers[is_majority][order]] = old_numbers[is_majority][order]
    origins = np.full(new_count, NO_COMMUNITY, np.int32)
    is_main_origin = shared_counts * 2 > new_sizes[new_numbers]
    origins[new_numbers[is_main_origin]] = old_numbers[is_main_origin]
    return Lineage(predecessors, origins, successors)
