"""The writers of the formats by their names."""

from collections.abc import Mapping

from app.transfer.export.formats.csv_tables import EdgeTable, NodeTable
from app.transfer.export.formats.cypher import Cypher
from app.transfer.export.formats.graphml import GraphML
from app.transfer.export.formats.json_lines import JsonLines
from app.transfer.export.formats.turtle import Turtle
from app.transfer.export.formats.writer import Writer
from app.transfer.export.shapes import ExportFormat

FORMATS: Mapping[ExportFormat, type[Writer]] = {
    ExportFormat.JSON_LINES: JsonLines,
    ExportFormat.GRAPHML: GraphML,
    ExportFormat.CSV_NODES: NodeTable,
    ExportFormat.CSV_EDGES: EdgeTable,
    ExportFormat.CYPHER: Cypher,
    ExportFormat.TURTLE: Turtle,
}
