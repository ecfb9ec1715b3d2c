"""The default types, and how a verb that somebody wrote is read as a relation type of a space."""

import re
import unicodedata
from dataclasses import replace
from enum import Enum

from app.extraction.shapes import Vocabulary
from app.space_settings import EffectiveSettings

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

DEFAULT_TYPE = "Concept"
"""The type of a node of which no chunk says what it is."""

DEFAULT_RELATION_TYPES: tuple[str, ...] = (
    "provides",
    "owns",
    "depends_on",
    "deprecates",
    "replaces",
    "integrates_with",
    "part_of",
    "works_on",
    "works_for",
    "knows",
    "located_in",
    "created",
    "uses",
    "causes",
    "related_to",
)
"""Requirement 5.2."""

SPECIFIC_RELATION_TYPES: tuple[str, ...] = (
    "parent_of",
    "sibling_of",
    "married_to",
    "relative_of",
    "born_in",
    "died_in",
    "lives_in",
    "citizen_of",
    "educated_at",
    "member_of",
    "head_of",
    "reports_to",
    "acted_in",
    "received_award",
    "took_part_in",
    "headquartered_in",
    "capital_of",
    "originates_in",
    "within",
)
"""Types for the lives of people, for groups and for places, in a space that wants `specific_relations`.

Without them what they say is not said: it is not put under a wider type such as `knows` or `located_in`.
`within` is a place in a larger one by an address alone ("Austin, Texas"): it counts for no community.
"""

MAX_RELATION_LENGTH = 64
"""Characters of a relation type; a verb is a few words, a longer one is a sentence gone astray."""


class Direction(Enum):
    """Return whether a verb is stated from the first named end to the second, or the other way round."""

    FORWARD = "forward"
    REVERSED = "reversed"


DEFAULT_VOCABULARY = Vocabulary(
    node_types=frozenset(DEFAULT_NODE_TYPES),
    relation_types=frozenset((*DEFAULT_RELATION_TYPES, *SPECIFIC_RELATION_TYPES)),
)

_FORWARD: dict[str, str] = {
    "created": """
        create creates creating co_created founded founds found co_founded cofounded established
        establishes developed develops authored authors wrote writes invented invents designed designs
        built builds produced produces made makes composed published publishes launched started formed
        introduced directed discovered implemented formulated proposed creator_of founder_of author_of
        inventor_of
    """,
    "owns": """
        own owned acquired acquires acquire bought buys purchased takes_over took_over has_subsidiary
        parent_company_of
    """,
    "works_for": """
        works_at worked_at work_for worked_for employed_by joined joins hired_by member_of_staff
        employee_of professor_at serves_in served_in plays_for played_for is_employed_by
    """,
    "works_on": """
        leads led lead maintains maintained maintainer_of contributes_to contributed_to worked_on manages
        managed heads headed develops_for
    """,
    "part_of": """
        is_part_of belongs_to component_of module_of subset_of included_in
        contained_in subsidiary_of division_of extension_of
    """,
    "located_in": """
        based_in is_located_in located_at situated_in city_in in is_in
    """,
    "uses": """
        use used using utilizes utilises employs written_in implemented_in built_with powered_by adopts
        adopted
    """,
    "depends_on": """
        depend_on depends relies_on requires require needs built_on_top_of runs_on based_on
        based_upon built_on derived_from forked_from fork_of
    """,
    "replaces": """
        replaced replace supersedes superseded successor_of successor_to succeeds succeeded
        replacement_for
    """,
    "deprecates": "deprecated deprecate obsoletes removes retired",
    "integrates_with": """
        integrates integrated_with compatible_with connects_to interoperates_with works_with supports
        interfaces_with plugin_for extension_for
    """,
    "provides": """
        provide provided offers offered sells supplies supplied ships releases released exposes delivers
    """,
    "knows": """
        met friend_of colleague_of student_of studied_under collaborated_with mentored taught advised
        worked_with
    """,
    "causes": "cause caused leads_to led_to results_in resulted_in triggers triggered produces_effect",
    "related_to": "relates_to associated_with is_related_to linked_to connected_to similar_to is_a about",
    "parent_of": "father_of mother_of has_child child children",
    "sibling_of": "brother_of sister_of half_brother_of half_sister_of twin_of sibling",
    "married_to": "married spouse_of wife_of husband_of widow_of spouse",
    "relative_of": "cousin_of uncle_of aunt_of nephew_of niece_of grandson_of grandfather_of",
    "born_in": "born_at place_of_birth birthplace",
    "died_in": "died_at place_of_death",
    "lives_in": "lived_in resides_in resided_in resident_of",
    "citizen_of": "has_nationality nationality country_of_citizenship",
    "educated_at": "studied_at graduated_from attended alumnus_of alma_mater",
    "member_of": "belongs_to_group is_a_member_of",
    "reports_to": "reports_directly_to managed_by supervised_by direct_report_of",
    "head_of": "ceo_of cto_of president_of chairman_of chief_executive_of chief_executive_officer_of",
    "acted_in": "starred_in appeared_in stars_in cast_member_of",
    "received_award": "won_award awarded received_prize",
    "took_part_in": "participated_in competed_in fought_in",
    "headquartered_in": "has_headquarters_in",
    "capital_of": "capital_city_of",
    "originates_in": "country_of_origin originated_in",
}
_REVERSED: dict[str, str] = {
    "created": """
        creation_of_person founded_by developed_by authored_by written_by invented_by designed_by built_by
    """,
    "owns": "owned_by acquired_by bought_by purchased_by is_owned_by has_parent",
    "works_for": "employs_person hired employer_of hires",
    "part_of": "has_part contains includes consists_of comprises",
    "member_of": "has_member members",
    "parent_of": "child_of son_of daughter_of has_parent_person father mother",
    "acted_in": "starring stars cast_member",
    "capital_of": "has_capital",
    "replaces": "replaced_by superseded_by succeeded_by predecessor_of preceded",
    "depends_on": "required_by needed_by basis_of basis_for",
    "uses": "used_by adopted_by",
    "causes": "caused_by triggered_by result_of results_from",
    "provides": "provided_by offered_by sold_by released_by",
    "works_on": "led_by maintained_by managed_by headed_by",
    "deprecates": "deprecated_by",
    "located_in": "location_of home_of",
    "headquartered_in": "headquarters_of",
}
_SYNONYMS: dict[str, tuple[str, Direction]] = {
    **{verb: (kind, Direction.FORWARD) for kind, verbs in _FORWARD.items() for verb in verbs.split()},
    **{verb: (kind, Direction.REVERSED) for kind, verbs in _REVERSED.items() for verb in verbs.split()},
}
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_NOT_WORD = re.compile(r"[\W_]+")
# Letters that no decomposition takes apart.
_LIGATURES = str.maketrans({"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "Œ": "Oe", "Æ": "Ae"})
_AUXILIARY = re.compile(
    r"^(?:(?:is|was|are|were|has|have|had|been|being|be|also|later|originally|first|currently)_)+(?=\w)"
)


def snake_case(verb: str) -> str:
    """The verb in lower snake_case, plain letters and digits, at most 64 characters; may be "".

    Accents go; a verb in letters that have no plain form, or that begins with a digit, gives "":
    relation types are typed into queries by people.
    """
    spelt = verb[: 4 * MAX_RELATION_LENGTH].translate(_LIGATURES)
    plain = unicodedata.normalize("NFKD", spelt).encode("ascii", "ignore").decode()
    text = _CAMEL.sub("_", plain)
    name = _NOT_WORD.sub("_", text.casefold()).strip("_")[:MAX_RELATION_LENGTH].strip("_")
    return name if name[:1].isalpha() else ""


def read_verb(verb: str, vocabulary: Vocabulary) -> tuple[str, Direction] | None:
    """The relation type that a verb means in this vocabulary, and its direction; None where none fits.

    The vocabulary's own types come first, then passive forms ("created by" is `created`, reversed),
    then synonyms. An open vocabulary (requirement 5.2) keeps any other verb in lower snake_case.
    """
    name = snake_case(verb)
    if not name:
        return None
    bare = _AUXILIARY.sub("", name)
    for candidate in (name, bare):
        if candidate in vocabulary.relation_types:
            return candidate, Direction.FORWARD
    for candidate in (name, bare):
        found = _SYNONYMS.get(candidate)
        if found is not None and found[0] in vocabulary.relation_types:
            return found
    if bare.endswith("_by"):
        active = bare.removesuffix("_by")
        if active in vocabulary.relation_types:
            return active, Direction.REVERSED
        found = _SYNONYMS.get(active)
        if found is not None and found[1] is Direction.FORWARD and found[0] in vocabulary.relation_types:
            return found[0], Direction.REVERSED
    if vocabulary.open_relations and any(char.isalpha() for char in name):
        return name, Direction.FORWARD
    return None


def to_node_type(name: str, vocabulary: Vocabulary) -> str | None:
    """The vocabulary's own spelling of a node type, whatever case it came in; None where unknown."""
    if name in vocabulary.node_types:
        return name
    folded = _NOT_WORD.sub("", name[:MAX_RELATION_LENGTH].casefold())
    return next(
        (kind for kind in sorted(vocabulary.node_types) if _NOT_WORD.sub("", kind.casefold()) == folded), None
    )


def vocabulary_of(own: EffectiveSettings) -> Vocabulary:
    """The vocabulary of a space: the platform's defaults and what its own settings add.

    Attributes of types that it does not allow are left out.
    """
    vocabulary = Vocabulary(
        frozenset((*DEFAULT_NODE_TYPES, *own.extra_node_types)),
        frozenset(
            (
                *DEFAULT_RELATION_TYPES,
                *(SPECIFIC_RELATION_TYPES if own.specific_relations else ()),
                *own.extra_relation_types,
            )
        ),
        own.open_relations,
        own.min_confidence,
        own.gleanings,
        own.turns_before,
    )
    attributes = {
        to_node_type(name, vocabulary): kinds for name, kinds in own.node_attributes.items() if kinds
    }
    return replace(vocabulary, attributes={name: kinds for name, kinds in attributes.items() if name})
