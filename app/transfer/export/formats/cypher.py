"""Cypher statements that create the graph in Neo4j or Memgraph; they are idempotent."""

import json
from collections.abc import Mapping

from app.transfer.export.formats.writer import GraphWriter, list_edge_fields, list_node_fields
from app.transfer.export.shapes import EdgeRow, NodeRow, SpaceLine

LABEL = "CitegraphNode"


class Cypher(GraphWriter):
    """One statement per line: nodes by id, with their type as a second label; edges by id."""

    media_type = "text/plain"
    extension = "cypher"

    def format_head(self, space: SpaceLine) -> bytes:
        """Return the index by which later statements find their nodes."""
        return (
            f"// The graph of the space {json.dumps(space.name)}.\n"
            f"CREATE CONSTRAINT citegraph_node IF NOT EXISTS FOR (n:{LABEL}) REQUIRE n.id IS UNIQUE;\n"
        ).encode()

    def format_node(self, node: NodeRow) -> str:
        """Return a statement that creates or updates the node."""
        return (
            f"MERGE (n:{LABEL} {{id: '{node.id}'}}) SET n:{_quote_cypher_name(node.node_type)}"
            f" SET n += {_format_cypher_map(list_node_fields(node))};\n"
        )

    def format_edge(self, edge: EdgeRow) -> str:
        """Return a statement that creates the edge between two existing nodes."""
        relation = {"denied": "not_", "reported": "reported_"}.get(edge.polarity, "") + edge.relation_type
        return (
            f"MATCH (a:{LABEL} {{id: '{edge.from_node_id}'}}), (b:{LABEL} {{id: '{edge.to_node_id}'}})"
            f" MERGE (a)-[r:{_quote_cypher_name(relation.upper())} {{id: '{edge.id}'}}]->(b)"
            f" SET r += {_format_cypher_map(list_edge_fields(edge))};\n"
        )


def _quote_cypher_name(name: str) -> str:
    # A line break in a name would split the statement.
    return "`" + " ".join(name.split()).replace("`", "``") + "`"


def _format_cypher_map(fields: Mapping[str, object]) -> str:
    properties = [
        f"{name}: {_format_cypher_literal(value)}" for name, value in fields.items() if value is not None
    ]
    return "{" + ", ".join(properties) + "}"


def _format_cypher_literal(value: object) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(_format_cypher_literal(member) for member in value) + "]"
    if isinstance(value, str):
        return _format_cypher_string(value)
    return repr(value)


def _format_cypher_string(text: str) -> str:
    escaped_text = text.replace("\\", "\\\\").replace("'", "\\'")
    escaped_text = escaped_text.replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t")
    return f"'{escaped_text}'"
