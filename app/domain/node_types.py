"""The default types of nodes, and the groups of types that rules refer to."""

DEFAULT_NODE_TYPES: tuple[str, ...] = (
    "Product",
    "Person",
    "Concept",
    "API",
    "Organization",
    "Document",
    "Event",
    "Project",
    "Technology",
    "Location",
)
"""Requirement 3.4."""

NODE_TYPE_MEANINGS = {
    "Concept": "idea, field, anything else",
    "Document": "text, film, song",
    "Event": "war, match",
    "Location": "place, building",
    "Organization": "company, party, team",
    "Product": "goods, program",
    "Technology": "language, method",
}
"""What a model is told about the types that it could take for another."""

DEFAULT_TYPE = "Concept"
"""The type of a node whose type no chunk shows."""

PEOPLE = frozenset({"Person"})
GROUPS = frozenset({"Organization"})
PLACE_TYPES = frozenset({"Location"})
PLACED_TYPES = GROUPS | PLACE_TYPES
PROPER_NAME_TYPES = PEOPLE | PLACED_TYPES
"""Types whose things have proper names."""
EVENTS = frozenset({"Event"})
DOCUMENTS = frozenset({"Document"})
WORKS = frozenset({"Document", "Concept", "Product"})
PROGRAMS = frozenset({"Product", "Technology", "API"})
CREATED_TYPES = PROGRAMS | DOCUMENTS
IMPERSONAL_TYPES = PROGRAMS | GROUPS | frozenset({"Project", "Concept"})
TYPES_WITH_MEMBERS = GROUPS | EVENTS | frozenset({"Concept", "Project"})
