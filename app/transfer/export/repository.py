"""Pages of a space's rows in the order of their keys: however large the space, a page costs the same."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple
from uuid import UUID

from app.db.session import SpaceSession
from app.domain.layers import claim_types
from app.domain.places import place_within
from app.transfer.export.shapes import (
    Exported,
    ExportedAttribute,
    ExportedChunk,
    ExportedDocument,
    ExportedEdge,
    ExportedEnding,
    ExportedMention,
    ExportedNode,
    Kind,
)

_FIRST = UUID(int=0)


def _edge(*row: Any) -> ExportedEdge:
    """An edge from its columns; the last has the places of its chunk."""
    edge = ExportedEdge(*row[:-1])
    start, end = edge.metadata.get("charStart"), edge.metadata.get("charEnd")
    has_range = isinstance(start, int) and isinstance(end, int)
    return replace(edge, place=place_within(row[-1], *((start, end) if has_range else (0, sys.maxsize))))


class _Source(NamedTuple):
    statement: str
    key: tuple[str, ...]
    """The parameters by which the next page is found."""
    before: tuple[object, ...]
    """The key before the first row."""
    limit: int
    """Rows on a page: a few megabytes at most."""
    shape: Callable[..., Exported]


_SOURCES = {
    Kind.DOCUMENT: _Source("transfer.export.documents", ("id",), (_FIRST,), 1_000, ExportedDocument),
    Kind.CHUNK: _Source("transfer.export.chunks", ("id",), (_FIRST,), 250, ExportedChunk),
    Kind.NODE: _Source("transfer.export.nodes", ("id",), (_FIRST,), 1_000, ExportedNode),
    Kind.MENTION: _Source(
        "transfer.export.mentions", ("chunk_id", "node_id"), (_FIRST, _FIRST), 2_000, ExportedMention
    ),
    Kind.ATTRIBUTE: _Source(
        "transfer.export.attributes",
        ("chunk_id", "node_id", "name", "char_start"),
        (_FIRST, _FIRST, "", -1),
        2_000,
        ExportedAttribute,
    ),
    Kind.EDGE: _Source("transfer.export.edges", ("id",), (_FIRST,), 1_000, _edge),
    Kind.ENDING: _Source("transfer.export.endings", ("id",), (_FIRST,), 1_000, ExportedEnding),
}


def page(space: SpaceSession, kind: Kind, after: Exported | None) -> tuple[Sequence[Exported], bool]:
    """The rows that follow `after`, and whether more may follow them. One statement."""
    source = _SOURCES[kind]
    key = source.before if after is None else after.key
    values: dict[str, Any] = dict(zip(source.key, key, strict=True))
    if kind is Kind.EDGE:
        values["claim_types"] = list(claim_types(space.settings.extra_relation_types))
    rows = space.run(source.statement, {**values, "limit": source.limit})
    return [source.shape(*row) for row in rows], len(rows) == source.limit
