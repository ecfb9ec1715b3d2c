"""Names that no verb joins: adjacent, joined by a role, or by "his" and "her"."""

from app.domain.relation_type import ImpliedRelation, RelationType, Role, VerblessPair
from app.domain.relation_types import RELATION_TYPES
from app.domain.scoring.stop_words import split_into_word_set
from app.extraction.rules.english.lexicon import KIND_OF, ROLES

TYPED_VERBLESS_PAIRS = tuple(
    (relation_type, pair) for relation_type in RELATION_TYPES for pair in relation_type.verbless_pairs
)
VERBLESS_PAIRS: dict[tuple[str, ...], tuple[tuple[RelationType, VerblessPair], ...]] = {
    tuple(gap.split()): tuple(
        (relation_type, pair) for relation_type, pair in TYPED_VERBLESS_PAIRS if gap in pair.gaps
    )
    for gap in dict.fromkeys(gap for _, pair in TYPED_VERBLESS_PAIRS for gap in pair.gaps)
}

ROLES_BY_NOUN: dict[str, list[tuple[RelationType, Role]]] = {}
for _relation_type in RELATION_TYPES:
    for _role in _relation_type.roles:
        for _noun in _role.nouns.split():
            ROLES_BY_NOUN.setdefault(_noun, []).append((_relation_type, _role))
"""Relations of a noun between two names, "Oracle's founder Larry Ellison": the role of the second for the
first, or inverted, of the first for the second ("Ann Lee's son Bob Ray").
"""
EPONYM_VERBS = split_into_word_set("taken derived derives comes came originates originated")
"""Verbs between "the name" and "from" that introduce an eponym."""
WORKS_OF_DIRECTORS = split_into_word_set(
    "film music art stage theatre theater television video opera musical casting"
)
"""Words before "director" for somebody who makes works and leads no organization."""
KIN_NOUNS = frozenset(
    noun
    for noun, typed_roles in ROLES_BY_NOUN.items()
    if any(relation_type.kin for relation_type, _ in typed_roles)
)
"""Nouns after "his" or "her" that make the pronoun's referent one of two related people."""
WORDS_BEFORE_POST = split_into_word_set("as became becomes remains remained serves served")
"""Words that introduce a post at a company; beside "is" and a comma."""
POST_NOUNS = (
    (
        frozenset(word for word, kind in KIND_OF.items() if kind == "Person")
        - split_into_word_set("""
        man woman boy girl son daughter brother sister father mother wife husband king queen prince princess
        emperor empress duke duchess earl sultan character student graduate personality god
    """)
    )
    | ROLES
    | split_into_word_set("""
    head chief lead leader manager officer secretary treasurer accountant assistant deputy vp clerk nurse
    trainee apprentice intern consultant analyst supervisor coordinator administrator receptionist cleaner
    caretaker technician mechanic electrician buyer planner controller bookkeeper cashier driver partner
    associate trustee advisor adviser counsel representative specialist strategist recruiter auditor
    teacher headteacher headmaster headmistress governor chaplain warden steward porter guard operator foreman
    welder fitter machinist baker brewer tester writer staff member volunteer paramedic midwife consultant
    registrar archivist organiser organizer fundraiser campaigner staffer operative
""")
)
"""Posts that somebody can hold at, with or for a company."""
IMPLIED_RELATIONS: dict[str, ImpliedRelation] = {
    relation_type.name: relation_type.implies for relation_type in RELATION_TYPES if relation_type.implies
}
"""Relations implied by a narrower one: the head of an organization also works for it, in a space that may
lack the narrower type.
"""
