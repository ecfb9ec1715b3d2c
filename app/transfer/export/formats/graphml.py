"""GraphML for Gephi, yEd, Cytoscape, networkx and igraph."""

import re
from collections.abc import Mapping
from xml.sax.saxutils import escape, quoteattr

from app.transfer.export.formats.writer import (
    EDGE_FIELDS,
    NODE_FIELDS,
    GraphWriter,
    list_edge_fields,
    list_node_fields,
)
from app.transfer.export.shapes import EdgeRow, NodeRow, SpaceLine

_HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
"""
_NUMBER_TYPES = {
    "mentions": "int",
    "confidence": "double",
    "weight": "double",
    "char_start": "int",
    "char_end": "int",
}
# Characters that XML 1.0 cannot represent.
_NON_XML_CHARACTER = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class GraphML(GraphWriter):
    """Nodes first, then edges; several aliases or tags share a value, one per line."""

    media_type = "application/graphml+xml"
    extension = "graphml"

    def format_head(self, space: SpaceLine) -> bytes:
        """Return the declarations of all keys, and the beginning of the graph."""
        key_elements = [_format_graphml_key("node", node_field) for node_field in NODE_FIELDS] + [
            _format_graphml_key("edge", edge_field) for edge_field in EDGE_FIELDS
        ]
        graph_element = f'<graph id={_quote_attribute(str(space.id))} edgedefault="directed">\n'
        return (
            _HEAD + f"<desc>{_escape_text(space.name)}</desc>\n" + "".join(key_elements) + graph_element
        ).encode()

    def format_node(self, node: NodeRow) -> str:
        """Return a node element."""
        return f'<node id="{node.id}">{_format_data_elements("node", list_node_fields(node))}</node>\n'

    def format_edge(self, edge: EdgeRow) -> str:
        """Return an edge element."""
        end_attributes = f'source="{edge.from_node_id}" target="{edge.to_node_id}"'
        data = _format_data_elements("edge", list_edge_fields(edge))
        return f'<edge id="{edge.id}" {end_attributes}>{data}</edge>\n'

    def format_tail(self, space_at_start: SpaceLine, space_at_end: SpaceLine) -> bytes:  # noqa: ARG002
        """Return the end of the graph."""
        return b"</graph>\n</graphml>\n"


def _format_graphml_key(owner: str, name: str) -> str:
    attribute_type = _NUMBER_TYPES.get(name, "string")
    return f'<key id="{owner}_{name}" for="{owner}" attr.name="{name}" attr.type="{attribute_type}"/>\n'


def _format_data_elements(owner: str, fields: Mapping[str, object]) -> str:
    elements = []
    for name, value in fields.items():
        if value is None or value == []:
            continue
        text = "\n".join(value) if isinstance(value, list) else str(value)
        elements.append(f'<data key="{owner}_{name}">{_escape_text(text)}</data>')
    return "".join(elements)


def _escape_text(text: str) -> str:
    return escape(_NON_XML_CHARACTER.sub("\ufffd", text))


def _quote_attribute(text: str) -> str:
    return quoteattr(_NON_XML_CHARACTER.sub("\ufffd", text))
