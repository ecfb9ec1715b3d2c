"""The writers of the formats by their names."""

from collections.abc import Mapping

from app.export.formats.csv_tables import EdgeTable, NodeTable
from app.export.formats.cypher import Cypher
from app.export.formats.graphml import GraphML
from app.export.formats.json_lines import JsonLines
from app.export.formats.turtle import Turtle
from app.export.formats.writer import Writer
from app.export.shapes import ExportFormat

FORMATS: Mapping[ExportFormat, type[Writer]] = {
    ExportFormat.JSON_LINES: JsonLines,
    ExportFormat.GRAPHML: GraphML,
    ExportFormat.CSV_NODES: NodeTable,
    ExportFormat.CSV_EDGES: EdgeTable,
    ExportFormat.CYPHER: Cypher,
    ExportFormat.TURTLE: Turtle,
}
