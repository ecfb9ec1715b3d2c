"""The three layers of a graph, which differ in how much is known about the connection of two nodes."""

from collections.abc import Sequence
from enum import StrEnum
from functools import lru_cache
from typing import Final

from app.domain.relation_types import EXISTS, RELATION_TYPES


class Layer(StrEnum):
    """How a text connects two nodes.

    A claim has a relation type of the platform or one that the space has declared, so its meaning is known:
    it can be queried, contradicted and superseded. A statement has the verb of its sentence, whatever it is.
    Nodes named together occur in one passage, without a stated relation.
    """

    CLAIM = "claim"
    STATEMENT = "statement"
    NAMED_TOGETHER = "named_together"


BUILTIN_RELATION_TYPES: Final = frozenset((EXISTS, *(relation_type.name for relation_type in RELATION_TYPES)))


@lru_cache(maxsize=256)
def _add_builtin_types(declared_types: tuple[str, ...]) -> frozenset[str]:
    return BUILTIN_RELATION_TYPES.union(declared_types)


def list_claim_relation_types(declared_types: Sequence[str]) -> frozenset[str]:
    """Return the relation types of claims in a space that declares these `extra_relation_types`."""
    return _add_builtin_types(tuple(declared_types))


def get_layer_of_relation(relation_type: str, declared_types: Sequence[str]) -> Layer:
    """Return the layer of an edge in a space that declares these `extra_relation_types`."""
    return Layer.CLAIM if relation_type in list_claim_relation_types(declared_types) else Layer.STATEMENT
