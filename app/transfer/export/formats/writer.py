"""The interface of a format: the kinds of rows that it contains, and its beginning, rows and end as bytes."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from app.transfer.export.shapes import EdgeRow, NodeRow, Row, RowKind, SpaceLine

# Names of the properties of nodes and edges in every format, in order.
NODE_FIELDS = (
    "name", "type", "aliases", "tags", "mentions", "confidence", "first_seen_at", "last_seen_at",
)  # fmt: skip
EDGE_FIELDS = (
    "relation", "layer", "polarity", "said_by", "weight", "confidence", "status", "valid_from", "valid_to",
    "ended_at", "quote", "place", "char_start", "char_end", "chunk_id", "document_id", "document_title",
    "source_uri", "extracted_by", "extracted_at",
)  # fmt: skip


class Writer(ABC):
    """Converts rows to bytes, one page at a time; stateless between pages."""

    media_type: ClassVar[str]
    extension: ClassVar[str]
    kinds: ClassVar[tuple[RowKind, ...]] = (RowKind.NODE, RowKind.EDGE)

    @abstractmethod
    def format_head(self, space: SpaceLine) -> bytes:
        """Return the beginning of the file."""

    @abstractmethod
    def format_rows(self, kind: RowKind, rows: Sequence[Row]) -> bytes:
        """Return the rows of one page, all of kind `kind`."""

    def format_tail(self, space_at_start: SpaceLine, space_at_end: SpaceLine) -> bytes:  # noqa: ARG002
        """Return the end of the file, given the space at the beginning and now."""
        return b""


class GraphWriter(Writer):
    """A format of nodes and edges only, each as a string."""

    @abstractmethod
    def format_node(self, node: NodeRow) -> str:
        """Return a node as a string."""

    @abstractmethod
    def format_edge(self, edge: EdgeRow) -> str:
        """Return an edge as a string."""

    def format_rows(self, kind: RowKind, rows: Sequence[Row]) -> bytes:  # noqa: ARG002
        """Return the rows of one page."""
        return "".join(
            self.format_node(row) if isinstance(row, NodeRow) else self.format_edge(row)
            for row in rows
            if isinstance(row, NodeRow | EdgeRow)
        ).encode()


def list_edge_fields(edge: EdgeRow) -> dict[str, str | int | float | None]:
    """Return the values of an edge with its evidence, under the same names in every format; dates as ISO
    8601.
    """
    valid_from, valid_to, ended_at = edge.valid_from, edge.valid_to, edge.ended_at
    return {
        "relation": edge.relation_type,
        "layer": edge.layer,
        "polarity": edge.polarity,
        "said_by": edge.metadata.get("saidBy") if edge.evidence_chunk_id else None,
        "weight": edge.weight,
        "confidence": edge.metadata.get("confidence"),
        "status": edge.status,
        "valid_from": valid_from.isoformat() if valid_from else None,
        "valid_to": valid_to.isoformat() if valid_to else None,
        "ended_at": ended_at.isoformat() if ended_at else None,
        "quote": edge.metadata.get("quote") if edge.evidence_chunk_id else None,
        "place": edge.place,
        "char_start": edge.char_start,
        "char_end": edge.char_end,
        "chunk_id": str(edge.evidence_chunk_id) if edge.evidence_chunk_id else None,
        "document_id": str(edge.document_id) if edge.document_id else None,
        "document_title": edge.document_title,
        "source_uri": edge.source_uri,
        "extracted_by": edge.metadata.get("model"),
        "extracted_at": edge.metadata.get("extractedAt"),
    }


def list_node_fields(node: NodeRow) -> dict[str, str | int | float | list[str] | None]:
    """Return the values of a node, under the same names in every format; dates as ISO 8601."""
    return {
        "name": node.canonical_name,
        "type": node.node_type,
        "aliases": node.aliases,
        "tags": [tag.tag for tag in node.tags],
        "mentions": node.mention_count,
        "confidence": node.confidence,
        "first_seen_at": node.first_seen_at.isoformat(),
        "last_seen_at": node.last_seen_at.isoformat(),
    }
