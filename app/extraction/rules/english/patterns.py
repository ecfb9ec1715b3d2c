"""The verbs and phrases that state a relation, as data: what they mean, which way, and how surely."""

from app.extraction.rules.tables import Beside, Pattern, by_first_word, phrases, verbs
from app.extraction.vocabulary import DEFAULT_NODE_TYPES
from app.scoring.stop_words import word_set

PLACE = frozenset({"Location"})
EMPLOYER = frozenset({"Organization"})
PEOPLE = frozenset({"Person"})
THINGS = frozenset({"Product", "Technology", "API", "Project", "Concept", "Organization"})


PATTERNS: tuple[tuple[str, Pattern], ...] = (
    *verbs(
        "created",
        0.9,
        """created creates co-created founded co-founded cofounded established invented invents authored
        co-authored developed develops devised co-developed designed co-designed wrote writes written
        co-wrote built builds composed pioneered initiated""",
        locating=True,
    ),
    *verbs(
        "created",
        0.75,
        "launched formed introduced directed produced published painted recorded coined proposed"
        " conceived architected formulated sculpted illustrated constructed manufactured manufactures"
        " makes made implemented started",
    ),
    *verbs("owns", 0.9, "acquired acquires owns owned bought buys purchased"),
    *verbs("replaces", 0.85, "replaced replaces superseded supersedes succeeded succeeds supplanted"),
    *verbs("deprecates", 0.85, "deprecated deprecates obsoleted obsoletes discontinued retired"),
    *verbs("uses", 0.8, "uses used using adopted adopts employs utilizes utilizing utilises"),
    *verbs(
        "provides",
        0.75,
        "provides provided offers offered sells sold ships shipped released"
        " releases supplies supplied distributes distributed markets marketed exposes delivers",
    ),
    *verbs("depends_on", 0.85, "requires required needs"),
    *verbs("integrates_with", 0.65, "supports supported", subjects=THINGS, objects=THINGS),
    *verbs("causes", 0.85, "caused causes triggered triggers sparked provoked"),
    *verbs(
        "works_on",
        0.7,
        "leads led maintains maintained manages managed headed heads oversees"
        " oversaw chairs chaired commanded",
        subjects=PEOPLE,
    ),
    *verbs("works_for", 0.75, "joined rejoined", subjects=PEOPLE, objects=EMPLOYER),
    *verbs("works_for", 0.8, "employed hired employs", turned=True, subjects=PEOPLE, objects=EMPLOYER),
    *verbs(
        "knows",
        0.8,
        "married met befriended advised mentored taught supervised tutored",
        subjects=PEOPLE,
        objects=PEOPLE,
    ),
    *verbs("part_of", 0.7, "contains includes comprises", turned=True),
    *phrases(
        "created",
        0.85,
        "founder of|co-founder of|cofounder of|creator of|co-creator of|inventor of"
        "|author of|co-author of|designer of|architect of|developer of|founding member of"
        "|original author of|composer of|director of the film|original developer of",
    ),
    *phrases(
        "works_for",
        0.85,
        "worked for|worked at|works for|works at|working for|working at|work at"
        "|employee of|employed at|engineer at|professor at|researcher at|scientist at|fellow at"
        "|ceo of|cto of|cfo of|coo of|chief executive of|chief executive officer of|president of"
        "|chairman of|director of|executive at|served in|serves in|played for|plays for|taught at"
        "|teaches at|lectured at|professor of computer science at|faculty at|manager of|coach of"
        "|signed with|faculty member at|joined the faculty of|hired by",
        objects=EMPLOYER,
    ),
    *phrases(
        "works_on",
        0.75,
        "worked on|works on|working on|contributed to|contributes to|contributor to"
        "|maintainer of|committer on|committer of|committer to|leader of|leads the development of"
        "|led the development of|lead developer of|project leader of",
    ),
    *phrases("works_on", 0.55, "starred in|appeared in|stars in", subjects=PEOPLE),
    *phrases("owns", 0.85, "owner of|parent company of|parent of|sold by"),
    *phrases(
        "owns",
        0.85,
        "subsidiary of|wholly owned subsidiary of|sold to|taken over by|division of",
        turned=True,
    ),
    *phrases(
        "part_of",
        0.8,
        "part of|member of|component of|module of|subset of|included in|belongs to"
        "|belonged to|belonging to|branch of|members of|feature of|extension of|extension for|unit of"
        "|department of|affiliated with|merged into|incorporated into",
    ),
    *phrases(
        "part_of",
        0.65,
        "participated in|competed in|fought in|took part in|participant in",
        objects=frozenset({"Event", "Concept", "Organization"}),
    ),
    *phrases("part_of", 0.75, "consists of|consisted of|composed of|comprised of|made up of", turned=True),
    *phrases("located_in", 0.9, "located|based|headquartered|situated", locating=True),
    *phrases(
        "located_in",
        0.65,
        "born|lives|lived|resides|resided|died|held|took place|raised|living"
        "|grew up|settled|opened|moved|buried|runs through|flows through",
        locating=True,
    ),
    *phrases(
        "located_in",
        0.8,
        "capital of|capital city of|city of|largest city in|largest city of"
        "|a city in|a town in|a village in|headquarters in|offices in|a suburb of|a district of"
        "|a municipality in|a county in|district in|neighborhood of|campus in|region of|province of"
        "|borders of|island of|village in|town in|city in|county in|municipality in|river in",
        objects=PLACE,
    ),
    *phrases(
        "uses",
        0.75,
        "written in|implemented in|programmed in|built with|powered by|dialect of"
        "|implementation of|makes use of|written for",
        subjects=THINGS | {"Document"},
    ),
    *phrases(
        "depends_on",
        0.85,
        "depends on|depended on|depend on|relies on|relied on|rely on|dependent on|runs on top of"
        "|built on top of|runs on|run on|requires the use of|requires use of|based on|based upon|built on"
        "|built upon|derived from|forked from|fork of",
    ),
    *phrases(
        "depends_on",
        0.7,
        "descended from|derivative of|adaptation of|adapted from|variant of|evolved from|grew out of",
        subjects=THINGS | {"Document"},
    ),
    *phrases(
        "replaces",
        0.85,
        "successor to|successor of|succeeds|replacement for|follow-up to|sequel to"
        "|took over from|replacement of|successor",
    ),
    *phrases(
        "replaces",
        0.8,
        "predecessor of|predecessor to|gave way to|evolved into|succeeded by|precursor to|precursor of",
        turned=True,
    ),
    *phrases(
        "integrates_with",
        0.8,
        "integrates with|integrated with|compatible with|interoperates with"
        "|connects to|plugin for|plug-in for|driver for|connector for|works with|interface to"
        "|client for|adapter for|bindings for|wrapper for|wrapper around",
        subjects=THINGS,
    ),
    *phrases(
        "knows",
        0.75,
        "worked with|works with|worked alongside|collaborated with|student of"
        "|studied under|studied with|friend of|colleague of|married to|son of|daughter of|brother of"
        "|sister of|father of|mother of|wife of|husband of|spouse of|mentor of|friends with"
        "|partnered with|teacher of|cousin of|nephew of|niece of|pupil of|descendant of|widow of",
        subjects=PEOPLE,
        objects=PEOPLE,
    ),
    *phrases("causes", 0.8, "led to|leads to|resulted in|results in|gave rise to|cause of|brought about"),
    *phrases("causes", 0.8, "result of|resulted from|due to|caused by", turned=True),
    *phrases(
        "related_to",
        0.65,
        "studied at|graduated from|educated at|attended|degree from|alumnus of"
        "|graduate of|degree at|studied|similar to|associated with|related to|named after|competitor of"
        "|competes with|won|awarded|received|recipient of|winner of|nominated for|compared to"
        "|inspired by|influenced by|borrowed from",
    ),
)
"""Phrase and meaning. Of readings of one phrase the first that fits its sentence counts;
`turned` swaps the ends."""


TRIE = by_first_word(PATTERNS)

WHOLE_OBJECT = frozenset(("created", "owns", "provides", "knows", "replaces", "deprecates"))
"""Said of a part these are not said of the whole: "created the optimizer of X" is not about X."""


BESIDE_ROWS = (
    # "Oracle's new database Cobalt": a possessive with whatever stands between it and the name.
    Beside(("'s",), EMPLOYER, frozenset({"Product", "Technology", "API"}), "provides", 0.6, certain=True),
    Beside((",",), PLACE, PLACE, "located_in", 0.7, address=True),
    Beside(("in", "in the"), frozenset({"Organization", "Location", "Event"}), PLACE, "located_in", 0.65),
    Beside((",",), EMPLOYER, PLACE, "located_in", 0.55, certain=True),
    Beside(("at", "at the"), PEOPLE, EMPLOYER, "works_for", 0.6),
    Beside(("of", "of the", "from"), PEOPLE, EMPLOYER, "works_for", 0.55),
)
BESIDE: dict[tuple[str, ...], tuple[Beside, ...]] = {
    tuple(gap.split()): tuple(row for row in BESIDE_ROWS if gap in row.gaps)
    for gap in dict.fromkeys(gap for row in BESIDE_ROWS for gap in row.gaps)
}

ROLE_ROWS: tuple[tuple[str, float, str], ...] = (
    ("created", 0.8, "founder co-founder cofounder creator inventor author founders"),
    (
        "works_for",
        0.75,
        """ceo cto cfo coo chairman president director engineer researcher scientist employee executive
        manager spokesman professor executives chief programmer""",
    ),
    (
        "knows",
        0.75,
        """wife husband son daughter brother sister father mother student colleague friend mentor partner
        cousin nephew grandson""",
    ),
    ("works_on", 0.7, "maintainer architect"),
)
ROLE_OF = {
    noun: (relation, confidence) for relation, confidence, nouns in ROLE_ROWS for noun in nouns.split()
}
"""A noun between two names, "Oracle's founder Larry Ellison": what the second is to the first."""

# Nouns that open a phrase such as "author of". They say what a name is only behind "is", "became" or a comma:
# in "they bought an extension of X" it is not the buyer that extends X.
NOMINAL = word_set("""
    founder co-founder cofounder creator co-creator inventor author co-author designer architect developer
    founding composer original owner parent subsidiary division part member component module subset branch
    members feature extension unit department successor replacement follow-up sequel predecessor precursor
    plugin plug-in driver connector interface client adapter bindings wrapper student friend colleague son
    daughter brother sister father mother wife husband spouse mentor friends teacher cousin nephew niece pupil
    descendant widow fork derivative adaptation variant dialect implementation employee engineer
    professor researcher scientist fellow ceo cto cfo coo chief president chairman director executive manager
    coach faculty contributor maintainer committer leader lead project wholly
""")
DESCRIPTION_ROWS: tuple[tuple[frozenset[str], str], ...] = (
    (EMPLOYER, "company firm university group band organization organisation team"),
    (
        THINGS,
        """database system language library extension project software tool framework protocol product
        platform""",
    ),
    (PLACE, "city town village river county island"),
    (frozenset({"Event"}), "war battle conference festival award"),
    (frozenset({"Document"}), "film novel book paper album song"),
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
    "located_in": (frozenset(), _ALL - PLACE),
}
"""Kinds that cannot stand at the one and the other end of a relation. What is a guess may stand anywhere."""
WHOLES_OF_THINGS = frozenset({"Product", "Technology", "API"})
"""No person, organization or place is a part of one of these."""
