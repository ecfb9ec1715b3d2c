"""Which kinds of node can be the ends of a relation, derived from the registry of relation types."""

from typing import Final

from app.domain.node_types import DEFAULT_NODE_TYPES, DEFAULT_TYPE
from app.domain.relation_type import Kinds
from app.domain.relation_types import RELATION_TYPE_BY_NAME, RELATION_TYPES

ALL_KINDS = frozenset(DEFAULT_NODE_TYPES)


def _list_impossible_kinds(permitted_kinds: Kinds | None, excluded_kinds: Kinds) -> Kinds:
    return excluded_kinds if permitted_kinds is None else ALL_KINDS - permitted_kinds | excluded_kinds


IMPOSSIBLE_ENDS: Final[dict[str, tuple[Kinds, Kinds]]] = {
    entry.name: (
        _list_impossible_kinds(entry.ends.sources, entry.ends.never_sources),
        _list_impossible_kinds(entry.ends.targets, entry.ends.never_targets),
    )
    for entry in RELATION_TYPES
}
"""Kinds excluded from the first and the second end of a relation."""


def can_have_ends(relation_type: str, source_kind: str | None, target_kind: str | None) -> bool:
    """Return whether nodes of these kinds can be the ends of a relation: only a person works for anybody.

    A kind that is not known (None) is never excluded. A type that is not in the registry can have any ends.
    """
    entry = RELATION_TYPE_BY_NAME.get(relation_type)
    if entry is None:
        return True
    never_sources, never_targets = IMPOSSIBLE_ENDS[relation_type]
    if source_kind in never_sources or target_kind in never_targets:
        return False
    if source_kind is None or target_kind is None:
        return True
    excluded_sources, excluded_targets = entry.ends.excluded_pair
    if source_kind in excluded_sources and target_kind in excluded_targets:
        return False
    return source_kind == target_kind or entry.ends.kinds_shared_by_both.isdisjoint(
        (source_kind, target_kind)
    )


def has_reversed_ends(relation_type: str, source_kind: str, target_kind: str) -> bool:
    """Return whether the kinds show that the ends are exchanged: they fit the other way round alone.

    The default kind shows nothing: it is what things of no other kind have.
    """
    return (
        DEFAULT_TYPE not in (source_kind, target_kind)
        and not can_have_ends(relation_type, source_kind, target_kind)
        and can_have_ends(relation_type, target_kind, source_kind)
    )
