"""RDF in Turtle: each claim that holds as a triple, and every claim as a statement with its evidence."""

from urllib.parse import quote

from app.transfer.export.formats.writer import GraphWriter, list_edge_fields, list_node_fields
from app.transfer.export.shapes import EdgeRow, NodeRow, SpaceLine

_HEAD = """@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix v: <urn:citegraph:vocabulary:> .
"""
_DATE_FIELDS = {"valid_from", "valid_to", "ended_at", "extracted_at", "first_seen_at", "last_seen_at"}


class Turtle(GraphWriter):
    """Nodes are `urn:uuid:…`; denied and ended claims are statements without a triple of their own."""

    media_type = "text/turtle"
    extension = "ttl"

    def format_head(self, space: SpaceLine) -> bytes:
        """Return the prefixes, and the space's name."""
        label = _format_turtle_string(space.name)
        return f"{_HEAD}<urn:uuid:{space.id}> a v:space ; rdfs:label {label} .\n".encode()

    def format_node(self, node: NodeRow) -> str:
        """Return a node with its type and names."""
        fields = list_node_fields(node)
        properties = [
            f"a {_format_urn('type', node.node_type)}",
            f"rdfs:label {_format_turtle_string(node.canonical_name)}",
        ]
        properties += [f"skos:altLabel {_format_turtle_string(alias)}" for alias in node.aliases]
        properties += [f"v:tag {_format_turtle_string(tag.tag)}" for tag in node.tags]
        properties += [
            f"v:{name} {_format_turtle_literal(name, fields[name])}"
            for name in ("mentions", "confidence", "first_seen_at", "last_seen_at")
        ]
        return f"<urn:uuid:{node.id}> {' ; '.join(properties)} .\n"

    def format_edge(self, edge: EdgeRow) -> str:
        """Return the triple if the claim holds, and the statement about it."""
        from_uri, to_uri = f"<urn:uuid:{edge.from_node_id}>", f"<urn:uuid:{edge.to_node_id}>"
        verb = _format_urn("relation", edge.relation_type)
        properties = [
            "a rdf:Statement",
            f"rdf:subject {from_uri}",
            f"rdf:predicate {verb}",
            f"rdf:object {to_uri}",
        ]
        properties += [
            f"v:{name} {_format_turtle_literal(name, value)}"
            for name, value in list_edge_fields(edge).items()
            if value is not None and name != "relation"
        ]
        triple = f"{from_uri} {verb} {to_uri} .\n" if edge.holds else ""
        return f"{triple}<urn:uuid:{edge.id}> {' ; '.join(properties)} .\n"


def _format_urn(kind: str, name: str) -> str:
    return f"<urn:citegraph:{kind}:{quote(name, safe='')}>"


def _format_turtle_literal(name: str, value: object) -> str:
    if isinstance(value, str):
        return (
            f"{_format_turtle_string(value)}^^xsd:dateTime"
            if name in _DATE_FIELDS
            else _format_turtle_string(value)
        )
    if isinstance(value, float):
        return f'"{value!r}"^^xsd:double'
    return str(value)


def _format_turtle_string(text: str) -> str:
    """Return a quoted literal with the required escapes (RDF 1.1 Turtle, section 6.4)."""
    escaped_characters = []
    for character in text:
        if character in '"\\':
            escaped_characters.append("\\" + character)
        elif character < " " or character == "\x7f":
            escaped_characters.append(f"\\u{ord(character):04X}")
        else:
            escaped_characters.append(character)
    return '"' + "".join(escaped_characters) + '"'
