"""CSV: the nodes or the edges as a table that a spreadsheet opens without running what stands in it."""

from collections.abc import Sequence
from typing import Any

from app.spreadsheet import csv_lines
from app.transfer.export.formats.writer import EDGE_FIELDS, NODE_FIELDS, Writer, edge_fields, node_fields
from app.transfer.export.shapes import EdgeRow, Kind, NodeRow, Row, SpaceLine

NODE_COLUMNS = ("id", *NODE_FIELDS)
EDGE_COLUMNS = ("id", "from_node_id", "to_node_id", *EDGE_FIELDS)


class NodeTable(Writer):
    """A line for each node; several aliases or tags stand in one cell, each on a line of its own."""

    media_type = "text/csv"
    extension = "nodes.csv"
    kinds = (Kind.NODE,)

    def head(self, space: SpaceLine) -> bytes:  # noqa: ARG002
        """The names of the columns."""
        return csv_lines([NODE_COLUMNS]).encode()

    def rows(self, kind: Kind, rows: Sequence[Row]) -> bytes:  # noqa: ARG002
        """A line for each node."""
        nodes = [row for row in rows if isinstance(row, NodeRow)]
        lines = (_cells_of_row(NODE_COLUMNS, {"id": str(node.id), **node_fields(node)}) for node in nodes)
        return csv_lines(lines).encode()


class EdgeTable(Writer):
    """A line for each edge, with its quote and where it stands."""

    media_type = "text/csv"
    extension = "edges.csv"
    kinds = (Kind.EDGE,)

    def head(self, space: SpaceLine) -> bytes:  # noqa: ARG002
        """The names of the columns."""
        return csv_lines([EDGE_COLUMNS]).encode()

    def rows(self, kind: Kind, rows: Sequence[Row]) -> bytes:  # noqa: ARG002
        """A line for each edge."""
        edges = [row for row in rows if isinstance(row, EdgeRow)]
        lines = (
            _cells_of_row(
                EDGE_COLUMNS,
                {
                    "id": str(edge.id),
                    "from_node_id": str(edge.from_node_id),
                    "to_node_id": str(edge.to_node_id),
                    **edge_fields(edge),
                },
            )
            for edge in edges
        )
        return csv_lines(lines).encode()


def _cells_of_row(columns: Sequence[str], values: dict[str, Any]) -> list[Any]:
    # Several values of one cell stand on lines of their own.
    return ["\n".join(value) if isinstance(value := values[name], list) else value for name in columns]
