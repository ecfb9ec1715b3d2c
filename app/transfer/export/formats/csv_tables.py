"""CSV: nodes or edges as a table; cells are escaped so that a spreadsheet does not run them as formulas."""

from collections.abc import Sequence
from typing import Any

from app.spreadsheet import format_csv_lines
from app.transfer.export.formats.writer import (
    EDGE_FIELDS,
    NODE_FIELDS,
    Writer,
    list_edge_fields,
    list_node_fields,
)
from app.transfer.export.shapes import EdgeRow, NodeRow, Row, RowKind, SpaceLine

NODE_COLUMNS = ("id", *NODE_FIELDS)
EDGE_COLUMNS = ("id", "from_node_id", "to_node_id", *EDGE_FIELDS)


class NodeTable(Writer):
    """One line for each node; several aliases or tags share a cell, one per line."""

    media_type = "text/csv"
    extension = "nodes.csv"
    kinds = (RowKind.NODE,)

    def format_head(self, space: SpaceLine) -> bytes:  # noqa: ARG002
        """Return the column names."""
        return format_csv_lines([NODE_COLUMNS]).encode()

    def format_rows(self, kind: RowKind, rows: Sequence[Row]) -> bytes:  # noqa: ARG002
        """Return one line for each node."""
        nodes = [row for row in rows if isinstance(row, NodeRow)]
        lines = (
            _format_cells_of_row(NODE_COLUMNS, {"id": str(node.id), **list_node_fields(node)})
            for node in nodes
        )
        return format_csv_lines(lines).encode()


class EdgeTable(Writer):
    """One line for each edge, with its quote and the quote's source."""

    media_type = "text/csv"
    extension = "edges.csv"
    kinds = (RowKind.EDGE,)

    def format_head(self, space: SpaceLine) -> bytes:  # noqa: ARG002
        """Return the column names."""
        return format_csv_lines([EDGE_COLUMNS]).encode()

    def format_rows(self, kind: RowKind, rows: Sequence[Row]) -> bytes:  # noqa: ARG002
        """Return one line for each edge."""
        edges = [row for row in rows if isinstance(row, EdgeRow)]
        lines = (
            _format_cells_of_row(
                EDGE_COLUMNS,
                {
                    "id": str(edge.id),
                    "from_node_id": str(edge.from_node_id),
                    "to_node_id": str(edge.to_node_id),
                    **list_edge_fields(edge),
                },
            )
            for edge in edges
        )
        return format_csv_lines(lines).encode()


def _format_cells_of_row(columns: Sequence[str], values: dict[str, Any]) -> list[Any]:
    # Several values of a cell are separated by line breaks.
    return ["\n".join(value) if isinstance(value := values[name], list) else value for name in columns]
