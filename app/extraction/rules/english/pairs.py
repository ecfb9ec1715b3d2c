"""Names that no verb joins: side by side, by a role, or behind "his" and "her"."""

from app.extraction.rules.english.ends import EMPLOYER, PEOPLE, PLACE, PLACED
from app.extraction.rules.english.lexicon import KIND_OF, ROLES
from app.extraction.rules.tables import Beside
from app.scoring.stop_words import word_set

BESIDE_ROWS = (
    # "Oracle's new database Cobalt": a possessive with whatever stands between it and the name.
    Beside(("'s",), EMPLOYER, frozenset({"Product", "Technology", "API"}), "provides", 0.6, certain=True),
    Beside(("'s",), PEOPLE, frozenset({"Document"}), "created", 0.7, certain=True),
    Beside(("'s",), PLACE, PLACED, "located_in", 0.6, certain=True, turned=True),
    Beside(
        ("state of", "province of", "city of", "county of", "island of", "borough of", "suburb of"),
        PLACE,
        PLACE,
        "within",
        0.7,
        turned=True,
    ),
    Beside((",",), PLACE, PLACE, "within", 0.7, address=True),
    # "Ratnagiri district, Maharashtra", "the Eastern Region of Uganda".
    Beside(
        ("district ,", "county ,", "province ,", "state ,", "region ,", "prefecture ,", "parish ,"),
        PLACE,
        PLACE,
        "within",
        0.7,
        certain=True,
    ),
    Beside(
        ("of", "of the", "region of", "district of", "county of", "neighborhood of", "neighbourhood of"),
        PLACE,
        PLACE,
        "within",
        0.65,
        certain=True,
    ),
    Beside(("in", "in the", ", in", ", in the"), PLACE, PLACE, "within", 0.65, certain=True),
    Beside(("in", "in the"), frozenset({"Organization", "Location", "Event"}), PLACE, "located_in", 0.65),
    Beside((",",), EMPLOYER, PLACE, "located_in", 0.55, certain=True),
    Beside(("at", "at the"), PEOPLE, EMPLOYER, "works_for", 0.6),
    Beside(("of", "of the", "from"), PEOPLE, EMPLOYER, "works_for", 0.55),
)
BESIDE: dict[tuple[str, ...], tuple[Beside, ...]] = {
    tuple(gap.split()): tuple(row for row in BESIDE_ROWS if gap in row.gaps)
    for gap in dict.fromkeys(gap for row in BESIDE_ROWS for gap in row.gaps)
}

ROLE_ROWS: tuple[tuple[str, float, str, bool], ...] = (
    ("created", 0.8, "founder co-founder cofounder creator inventor author founders", False),
    (
        "works_for",
        0.75,
        """engineer researcher scientist employee executive
        manager spokesman professor executives programmer""",
        False,
    ),
    (
        "head_of",
        0.8,
        "ceo cto cfo coo chairman chairwoman president director chief king queen mayor governor",
        False,
    ),
    ("married_to", 0.8, "wife husband spouse widow", False),
    ("parent_of", 0.8, "father mother", False),
    ("parent_of", 0.8, "son daughter child sons daughters children", True),
    ("sibling_of", 0.8, "brother sister brothers sisters siblings half-brother half-sister", False),
    (
        "relative_of",
        0.75,
        "cousin nephew niece uncle aunt grandson granddaughter grandfather grandmother",
        False,
    ),
    ("knows", 0.75, "student colleague friend mentor partner teacher", False),
    ("works_on", 0.7, "maintainer architect", False),
    ("member_of", 0.7, "member members vocalist guitarist drummer bassist singer frontman", False),
)
ROLE_OF: dict[str, list[tuple[str, float, bool]]] = {}
for _relation, _confidence, _nouns, _turned in ROLE_ROWS:
    for _noun in _nouns.split():
        ROLE_OF.setdefault(_noun, []).append((_relation, _confidence, _turned))
"""A noun between two names, "Oracle's founder Larry Ellison": what the second is to the first, or, turned,
the first to the second ("Ann Lee's son Bob Ray")."""
CALLED_AFTER = word_set("taken derived derives comes came originates originated")
"""Behind "the name" and before "from" these lead to what something is called after."""
DIRECTED = word_set("film music art stage theatre theater television video opera musical casting")
"""Before "director" these say that somebody makes works, and heads nothing."""
KIN = frozenset(
    noun
    for relation, _, nouns, _ in ROLE_ROWS
    if relation in ("married_to", "parent_of", "sibling_of", "relative_of")
    for noun in nouns.split()
)
"""Behind "his" or "her" these make the pronoun the first of two people who are related."""
OPENS_POST = word_set("as became becomes remains remained serves served")
"""Before what somebody is at a firm, "as", beside "is" and a comma."""
POSTS_HELD = (
    (
        frozenset(word for word, kind in KIND_OF.items() if kind == "Person")
        - word_set("""
        man woman boy girl son daughter brother sister father mother wife husband king queen prince princess
        emperor empress duke duchess earl sultan character student graduate personality god
    """)
    )
    | ROLES
    | word_set("""
    head chief lead leader manager officer secretary treasurer accountant assistant deputy vp clerk nurse
    trainee apprentice intern consultant analyst supervisor coordinator administrator receptionist cleaner
    caretaker technician mechanic electrician buyer planner controller bookkeeper cashier driver partner
    associate trustee advisor adviser counsel representative specialist strategist recruiter auditor
    teacher headteacher headmaster headmistress governor chaplain warden steward porter guard operator foreman
    welder fitter machinist baker brewer tester writer staff member volunteer paramedic midwife consultant
    registrar archivist organiser organizer fundraiser campaigner staffer operative
""")
)
"""What somebody can be at, with or for a firm."""
IMPLIED = {"head_of": ("works_for", EMPLOYER)}
"""Who is the head of an organization works for it too, in a space that lacks the narrower type as well."""
