"""Disjoint sets of hashable items, joined two at a time: union-find with path halving."""

from collections.abc import Hashable


class DisjointSets:
    """Sets of items; each item begins in a set of its own when it is first asked for."""

    def __init__(self) -> None:
        self._parents: dict[Hashable, Hashable] = {}

    def __contains__(self, item: Hashable) -> bool:
        return item in self._parents

    def find_representative(self, item: Hashable) -> Hashable:
        """Return the item that represents the set of this item."""
        parents = self._parents
        parents.setdefault(item, item)
        while parents[item] != item:
            parents[item] = parents[parents[item]]
            item = parents[item]
        return item

    def join_sets(self, item: Hashable, other_item: Hashable) -> None:
        """Join the sets of two items; the set of `other_item` keeps its representative."""
        self._parents[self.find_representative(item)] = self.find_representative(other_item)
