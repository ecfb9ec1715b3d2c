"""Votes for the kinds of things, as tables: suggestions by a name's own words and by the words around it.

A row contains the words to look for, the suggested kind and its strength; the first matching row of each
table applies. The votes of the tables are added; from 1.5 on a kind counts as inferred from the text.
"""

from app.domain.scoring.stop_words import split_into_word_set
from app.extraction.rules.english.grammar import POSSESSIVES
from app.extraction.rules.english.lexicon import (
    COMPANIES,
    HONORIFICS,
    KIND_OF,
    PERSON_VERBS,
    PLACE_NAMES,
    PLACES,
    TECHNOLOGIES,
)
from app.extraction.rules.english.nations import REGIONS
from app.extraction.rules.english.words.families import KIN_RELATION_BY_NOUN
from app.extraction.rules.rule_tables import KindCue, Shape

MIN_VOTES = 1.5
"""Minimum votes of a kind that counts as inferred from the text."""

_BE = split_into_word_set("is was are were became remains")
_ARTICLES = split_into_word_set("a an the one another his her its their")
PLACE_PREPOSITIONS = split_into_word_set("in at near from to around outside")
_PLACE_VERBS = split_into_word_set("""
    located born based headquartered situated lives lived resides moved grew raised returned emigrated settled
    died living residing relocated
""")
_WORK_VERBS = split_into_word_set("work worked works working employed employee joined")
PERSONAL_OFFICES = split_into_word_set(
    "ceo cto cfo coo chairman chairwoman chairperson president director professor secretary"
)
"""Offices that only people hold; they follow a comma without an article."""
_NOUNS_OF_SYSTEMS = split_into_word_set("""
    extension fork version versions planner optimizer parser driver client plugin syntax committer dialect
    port
    copy source users edition release releases
""")
_DEAL_NOUNS = split_into_word_set("contract agreement deal partnership merger joint-venture merged partnered")
_NOUNS_OF_FIRMS = split_into_word_set("ceo cto cfo coo subsidiary employees shareholders headquarters")
_MAKING_VERBS = split_into_word_set(
    "founded co-founded created wrote written developed designed invented proposed led"
)


def _list_words_of_kinds(*kinds: str) -> frozenset[str]:
    """Return the words that name a thing of one of these kinds."""
    return frozenset(word for word, kind in KIND_OF.items() if kind in kinds)


PHRASES_BETWEEN_SAME_KINDS = frozenset(
    (
        "took over from",
        "takes over from",
        "succeeded",
        "succeeds",
        "replaced",
        "replaces",
        "was succeeded by",
        "was replaced by",
        "and his wife",
        "and her husband",
        "married",
    )
)
"""Words between two names of which one is a person and the other is written as one: both are people."""
CUES_BEFORE_NAME: tuple[KindCue, ...] = (
    KindCue(HONORIFICS, "Person", 2.5),
    *(
        KindCue(_list_words_of_kinds(kind) - HONORIFICS, kind, 2.0)
        for kind in dict.fromkeys(KIND_OF.values())
    ),
    KindCue(split_into_word_set("of"), "Location", 3.0, farther_words=_list_words_of_kinds("Location")),
    # People also move and return to companies.
    KindCue(split_into_word_set("to"), "Location", 1.2, farther_words=_PLACE_VERBS),
    KindCue(PLACE_PREPOSITIONS, "Location", 2.5, farther_words=_PLACE_VERBS),
    KindCue(split_into_word_set("at"), "Organization", 2.0, farther_words=_WORK_VERBS),
    KindCue(
        split_into_word_set("in"),
        "Technology",
        2.0,
        farther_words=split_into_word_set("written implemented programmed"),
    ),
    KindCue(split_into_word_set("in"), "Location", 0.6),
    KindCue(split_into_word_set("founded co-founded cofounded"), "Organization", 2.0),
    KindCue(split_into_word_set("joined"), "Organization", 1.5),
    KindCue(split_into_word_set("acquired bought"), "Organization", 1.0),
    KindCue(split_into_word_set("on"), "Technology", 1.0, farther_words=_WORK_VERBS),
    KindCue(
        split_into_word_set("created developed built designed deprecated implemented"),
        "Technology",
        1.5,
        shape=Shape.PROGRAM,
    ),
    KindCue(
        split_into_word_set("wrote authored co-wrote composed"), "Document", 3.5, shape=Shape.SEVERAL_WORDS
    ),
    KindCue(split_into_word_set("uses used using supports"), "Technology", 1.0),
    KindCue(
        split_into_word_set("on"),
        "Technology",
        1.0,
        farther_words=split_into_word_set("based built depends depended relies runs"),
    ),
    KindCue(split_into_word_set("of for"), "Technology", 1.5, farther_words=_NOUNS_OF_SYSTEMS),
    KindCue(split_into_word_set("by"), "Person", 1.0, farther_words=_MAKING_VERBS, shape=Shape.PERSON),
    KindCue(split_into_word_set("for"), "Organization", 2.0, farther_words=_WORK_VERBS),
    KindCue(
        split_into_word_set("to"),
        "Person",
        2.0,
        farther_words=split_into_word_set("reports reported reporting"),
        shape=Shape.PERSON,
    ),
    KindCue(split_into_word_set("appointed promoted hired"), "Person", 2.0, shape=Shape.PERSON),
    KindCue(
        split_into_word_set("of"), "Organization", 1.5, farther_words=split_into_word_set("ceo cto cfo coo")
    ),
    KindCue(
        split_into_word_set("of"),
        "Organization",
        1.5,
        farther_words=split_into_word_set("subsidiary division"),
        shape=Shape.ONE_WORD,
    ),
    KindCue(
        split_into_word_set("between with"),
        "Organization",
        1.5,
        farther_words=_DEAL_NOUNS,
        shape=Shape.ONE_WORD,
    ),
    KindCue(_BE, "Person", 2.0, farther_words=PERSONAL_OFFICES, shape=Shape.PERSON),
)
"""Rows for the word before a name, and the one before that (`farther_words`)."""

# "Ratnagiri district, Maharashtra", and no "Oracle region server".
_WORDS_AFTER_PLACE = split_into_word_set(", . of in and ;")
CUES_AFTER_NAME: tuple[KindCue, ...] = (
    KindCue(_BE, "Person", 4.0, farther_words=split_into_word_set("born")),
    KindCue(
        _BE,
        "Technology",
        1.0,
        farther_words=split_into_word_set("based built forked written implemented compatible"),
    ),
    KindCue(
        _BE,
        "Organization",
        2.0,
        farther_words=split_into_word_set("managed headed"),
        shape=Shape.SEVERAL_WORDS,
    ),
    KindCue(_BE, None, 4.0, farther_words=_ARTICLES),
    KindCue(split_into_word_set(","), None, 2.5, farther_words=_ARTICLES),
    KindCue(split_into_word_set(","), "Person", 2.0, farther_words=split_into_word_set("who")),
    KindCue(
        split_into_word_set(",") | _BE, "Person", 2.5, farther_words=PERSONAL_OFFICES, shape=Shape.PERSON
    ),
    KindCue(
        split_into_word_set("moved relocated transferred"),
        "Organization",
        2.0,
        farther_words=split_into_word_set("its"),
    ),
    KindCue(split_into_word_set("who") | PERSON_VERBS, "Person", 2.0),
    KindCue(
        split_into_word_set("worked joined led leads reports reported received co-authored"),
        "Person",
        1.5,
        shape=Shape.PERSON,
    ),
    KindCue(split_into_word_set("depends integrates runs supports"), "Technology", 1.0),
    KindCue(split_into_word_set("uses used ran"), "Technology", 0.5),
    KindCue(split_into_word_set("founded stepped"), "Person", 1.5, shape=Shape.PERSON),
    KindCue(_MAKING_VERBS - PERSON_VERBS - {"founded"}, "Person", 1.0, shape=Shape.PERSON),
    KindCue(split_into_word_set("acquired"), "Organization", 1.5),
    # "Acme sold its mill": only a company sells so.
    KindCue(
        split_into_word_set("sold opened closed launched bought announced"),
        "Organization",
        1.5,
        farther_words=split_into_word_set("its"),
    ),
    KindCue(split_into_word_set("sold bought owned owns"), "Organization", 1.0),
    KindCue(split_into_word_set("employs"), "Organization", 1.5, shape=Shape.ONE_WORD),
    # Peoples and birds migrate too: with nothing else it makes nobody a company.
    KindCue(
        split_into_word_set("migrated switched"),
        "Organization",
        1.0,
        farther_words=split_into_word_set("from"),
        shape=Shape.ONE_WORD,
    ),
    KindCue(
        split_into_word_set("partnered"),
        "Organization",
        1.5,
        farther_words=split_into_word_set("with"),
        shape=Shape.ONE_WORD,
    ),
    KindCue(
        _BE, "Organization", 1.5, farther_words=split_into_word_set("headquartered"), shape=Shape.ONE_WORD
    ),
    KindCue(
        split_into_word_set("works worked"),
        "Person",
        1.5,
        farther_words=split_into_word_set("for at"),
        shape=Shape.PERSON,
    ),
    KindCue(POSSESSIVES, "Organization", 1.5, farther_words=_NOUNS_OF_FIRMS, shape=Shape.ONE_WORD),
    KindCue(POSSESSIVES, "Person", 1.5, farther_words=frozenset(KIN_RELATION_BY_NOUN), shape=Shape.PERSON),
    KindCue(split_into_word_set("created"), "Organization", 1.0, shape=Shape.ONE_WORD),
    KindCue(
        split_into_word_set(","), "Location", 2.0, farther_words=PLACES, opposite_words=PLACE_PREPOSITIONS
    ),
    KindCue(
        split_into_word_set(
            "district county province region prefecture mountains islands peninsula valley desert hills"
            " neighborhood neighbourhood borough suburb township parish municipality"
        ),
        "Location",
        1.5,
        farther_words=_WORDS_AFTER_PLACE,
    ),
    *(
        KindCue(_list_words_of_kinds(kind), kind, 1.5)
        for kind in dict.fromkeys(KIND_OF.values())
        if kind not in ("Person", "Location", "Event", "Concept")
    ),
)
"""Rows for the word after a name, and the one after that (`farther_words`)."""

BIRTH_WORDS = split_into_word_set("b. née born")
"""First words of a bracket after a person's name; `born` counts anywhere in it."""
BIRTH_STRENGTH = 4.0

KIND_OF_WELL_KNOWN_NAMES: tuple[tuple[frozenset[str], str], ...] = (
    (PLACES | PLACE_NAMES | REGIONS, "Location"),
    (TECHNOLOGIES, "Technology"),
    (COMPANIES, "Organization"),
)
"""Whole names whose kind needs no context."""
WELL_KNOWN_STRENGTH = 3.5
CITY_STRENGTH = 1.4
"""Votes for a less known city: not enough without a preceding "in", since software has such names too."""
ADDRESS_STRENGTH = 2.0
"""Votes for a name between "in" and a comma followed by a region: "in Fredericton, New Brunswick"."""

HEAD_STRENGTH = 3.0
"""Votes of a name's last word, "Informix Corporation", or of the one before "of" or "for"."""
HOUSE_STRENGTH = 1.6
"""Votes of a last word that names both a building and its operator; "works for" the zoo decides."""
BUILDING_NOUNS = split_into_word_set(
    "zoo hotel theatre theater opera observatory airport prison resort monastery"
)
NON_VOTING_KINDS = (None, "Concept", "Person")
"""Kinds of a head word that do not vote: an abstract idea or an occupation."""

FIRST_WORDS_OF_KINDS: tuple[tuple[frozenset[str], str, float], ...] = (
    (split_into_word_set("lake mount mt. fort port cape river saint st."), "Location", 2.0),
    (split_into_word_set("studio studios"), "Organization", 4.0),
)
"""First words of names whose other words name no kind."""
CLUB_INITIALS = split_into_word_set("f.c. a.c. s.c. c.f. a.f.c. r.c. s.l.")
"""Initials before a club's name: "F.C. Porto"."""
FIRM_WORDS_AFTER_HONORIFIC = split_into_word_set("electric dynamics motors mills foods instruments")
"""Words after an honorific that make a company's name: "General Electric"."""
LEADER_NOUNS = split_into_word_set(
    "chair chairs head heads chief chiefs leader leaders boss bosses co-chair co-chairs"
)
"""Words before "of" that denote a person, not the kind of what follows."""
PLACE_SURNAMES = split_into_word_set("park hill church castle marsh temple")
"""Surnames that are also words for places."""
NAMES_OF_PLACES = split_into_word_set("""
    victoria albert stanley george charlotte lincoln grant prospect alexandra elizabeth louise william james
    edward henry frederick francis anne mary margaret kelvin clapham madison jackson jefferson franklin
""")
"""First names that are more frequent in names of parks and streets than with such a surname."""
