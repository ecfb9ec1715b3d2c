"""The kinds of things that can stand at the ends of a relation, and those that a description may mean."""

from app.extraction.vocabulary import DEFAULT_NODE_TYPES

PLACE = frozenset({"Location"})
EMPLOYER = frozenset({"Organization"})
PEOPLE = frozenset({"Person"})
PLACED = frozenset({"Organization", "Location"})
WORKS = frozenset({"Document", "Concept", "Product"})
THINGS = frozenset({"Product", "Technology", "API", "Project", "Concept", "Organization"})

DESCRIPTION_ROWS: tuple[tuple[frozenset[str], str], ...] = (
    (
        EMPLOYER,
        """company firm university group band organization organisation team college school club party agency
        airline bank label publisher museum hospital newspaper magazine brand""",
    ),
    (
        THINGS,
        """database system language library extension project software tool framework protocol product
        platform""",
    ),
    (
        PLACE,
        """city town village river county island district region state province municipality community
        neighborhood neighbourhood suburb borough township lake mountain park street road bridge building
        stadium airport hotel church castle cathedral house country territory parish settlement bay""",
    ),
    (
        frozenset({"Event"}),
        "war battle conference festival award tournament championship election race event",
    ),
    (
        frozenset({"Document"}),
        "film novel book paper album song cast movie series show episode single play opera",
    ),
)
DESCRIBED_KINDS = {noun: kinds for kinds, nouns in DESCRIPTION_ROWS for noun in nouns.split()}
"""Definite descriptions that may stand for what a document is about, "the company",
and the kinds they may mean."""

_ALL = frozenset(DEFAULT_NODE_TYPES)
_MADE = frozenset({"Product", "Technology", "API", "Document"})
_EVENT = frozenset({"Event"})
IMPOSSIBLE_ENDS: dict[str, tuple[frozenset[str], frozenset[str]]] = {
    "works_for": (_ALL - PEOPLE, _ALL - EMPLOYER),
    "knows": (_ALL - PEOPLE, _ALL - PEOPLE),
    "created": (_MADE | PLACE | _EVENT, PEOPLE | PLACE),
    "owns": (_MADE | _EVENT, PEOPLE),
    "works_on": (_MADE | PLACE | _EVENT, PEOPLE | PLACE),
    "uses": (PLACE, PEOPLE | PLACE),
    "depends_on": (PEOPLE | PLACE | _EVENT, PEOPLE | PLACE),
    "provides": (PLACE | _EVENT, PEOPLE | PLACE),
    "integrates_with": (PEOPLE | PLACE | _EVENT, PEOPLE | PLACE | _EVENT),
    "deprecates": (PLACE, PEOPLE | PLACE),
    "part_of": (frozenset(), PEOPLE),
    "located_in": (PEOPLE, _ALL - PLACE),
    **dict.fromkeys(("parent_of", "sibling_of", "married_to", "relative_of"), (_ALL - PEOPLE, _ALL - PEOPLE)),
    **dict.fromkeys(("born_in", "died_in", "lives_in", "citizen_of"), (_ALL - PEOPLE, _ALL - PLACE)),
    "educated_at": (_ALL - PEOPLE, _ALL - EMPLOYER),
    "member_of": (_MADE | _EVENT, PEOPLE | PLACE | _MADE),
    "head_of": (_ALL - PEOPLE, _ALL - PLACED),
    "reports_to": (_ALL - PEOPLE, _ALL - PEOPLE),
    "acted_in": (_ALL - PEOPLE, PEOPLE | PLACE | _EVENT),
    "received_award": (PLACE | _EVENT, PEOPLE | PLACE),
    "took_part_in": (_MADE | _EVENT, _ALL - _EVENT),
    "headquartered_in": (PEOPLE | _MADE, _ALL - PLACE),
    "capital_of": (_ALL - PLACE, _ALL - PLACE),
    "originates_in": (PLACE, _ALL - PLACE),
    "within": (_ALL - PLACE, _ALL - PLACE),
}
"""Kinds that cannot stand at the one and the other end of a relation. What is a guess may stand anywhere."""
WHOLES_OF_THINGS = frozenset({"Product", "Technology", "API"})
"""No person, organization or place is a part of one of these."""
