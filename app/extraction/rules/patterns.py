"""The verbs and phrases that state a relation, as data: what they mean, which way, and how surely."""

from collections.abc import Iterator
from dataclasses import dataclass

from app.scoring.stop_words import word_set

PLACE = frozenset({"Location"})
EMPLOYER = frozenset({"Organization"})
PEOPLE = frozenset({"Person"})
THINGS = frozenset({"Product", "Technology", "API", "Project", "Concept", "Organization"})


@dataclass(frozen=True, slots=True)
class Pattern:
    """One phrase. A transitive one means "subject verb object", and turned round with "by".

    `locating`: with a place behind "in" or "at" it says where the subject is. `subjects` and `objects`
    limit the kinds of the ends, where a kind is certain.
    """

    relation: str
    confidence: float
    transitive: bool = False
    reversed: bool = False
    locating: bool = False
    subjects: frozenset[str] | None = None
    objects: frozenset[str] | None = None


def _transitive(
    relation: str,
    confidence: float,
    verbs: str,
    *,
    turned: bool = False,
    locating: bool = False,
    subjects: frozenset[str] | None = None,
    objects: frozenset[str] | None = None,
) -> Iterator[tuple[str, Pattern]]:
    pattern = Pattern(relation, confidence, True, turned, locating, subjects, objects)
    return ((verb.replace("_", " "), pattern) for verb in verbs.split())


def _phrases(
    relation: str,
    confidence: float,
    phrases: str,
    *,
    turned: bool = False,
    locating: bool = False,
    subjects: frozenset[str] | None = None,
    objects: frozenset[str] | None = None,
) -> Iterator[tuple[str, Pattern]]:
    pattern = Pattern(relation, confidence, False, turned, locating, subjects, objects)
    return ((phrase.strip(), pattern) for phrase in phrases.split("|"))


def _all() -> Iterator[tuple[str, Pattern]]:
    yield from _transitive(
        "created",
        0.9,
        """created creates co-created founded co-founded cofounded established invented invents authored
        co-authored developed develops devised co-developed designed co-designed wrote writes written
        co-wrote built builds composed pioneered initiated""",
        locating=True,
    )
    yield from _transitive(
        "created",
        0.75,
        "launched formed introduced directed produced published painted recorded coined proposed"
        " published conceived architected formulated sculpted illustrated constructed manufactured manufactures"
        " makes made implemented started",
    )
    yield from _transitive("owns", 0.9, "acquired acquires owns owned bought buys purchased", objects=None)
    yield from _transitive(
        "replaces", 0.85, "replaced replaces superseded supersedes succeeded succeeds supplanted"
    )
    yield from _transitive(
        "deprecates", 0.85, "deprecated deprecates obsoleted obsoletes discontinued retired"
    )
    yield from _transitive("uses", 0.8, "uses used using adopted adopts employs utilizes utilizing utilises")
    yield from _transitive(
        "provides",
        0.75,
        "provides provided offers offered sells sold ships shipped released"
        " releases supplies supplied distributes distributed markets marketed exposes delivers",
    )
    yield from _transitive("depends_on", 0.85, "requires required needs")
    yield from _transitive("integrates_with", 0.65, "supports supported", subjects=THINGS, objects=THINGS)
    yield from _transitive("causes", 0.85, "caused causes triggered triggers sparked provoked")
    yield from _transitive(
        "works_on",
        0.7,
        "leads led maintains maintained manages managed headed heads oversees"
        " oversaw chairs chaired commanded",
        subjects=PEOPLE,
    )
    yield from _transitive("works_for", 0.75, "joined rejoined", subjects=PEOPLE, objects=EMPLOYER)
    yield from _transitive(
        "works_for", 0.8, "employed hired employs", turned=True, subjects=PEOPLE, objects=EMPLOYER
    )
    yield from _transitive(
        "knows",
        0.8,
        "married met befriended advised mentored taught supervised tutored",
        subjects=PEOPLE,
        objects=PEOPLE,
    )
    yield from _transitive("part_of", 0.7, "contains includes comprises", turned=True)

    yield from _phrases(
        "created",
        0.85,
        "founder of|co-founder of|cofounder of|creator of|co-creator of|inventor of"
        "|author of|co-author of|designer of|architect of|developer of|founding member of"
        "|original author of|composer of|director of the film|original developer of",
    )
    yield from _phrases(
        "works_for",
        0.85,
        "worked for|worked at|works for|works at|working for|working at|work at"
        "|employee of|employed at|engineer at|professor at|researcher at|scientist at|fellow at"
        "|ceo of|cto of|cfo of|coo of|chief executive of|chief executive officer of|president of"
        "|chairman of|director of|executive at|served in|serves in|played for|plays for|taught at"
        "|teaches at|lectured at|professor of computer science at|faculty at|manager of|coach of"
        "|signed with|faculty member at|joined the faculty of|hired by",
        objects=EMPLOYER,
    )
    yield from _phrases(
        "works_on",
        0.75,
        "worked on|works on|working on|contributed to|contributes to|contributor to"
        "|maintainer of|committer on|committer of|committer to|leader of|leads the development of"
        "|led the development of|lead developer of|project leader of",
    )
    yield from _phrases("works_on", 0.55, "starred in|appeared in|stars in", subjects=PEOPLE)
    yield from _phrases("owns", 0.85, "owner of|parent company of|parent of|sold by")
    yield from _phrases(
        "owns",
        0.85,
        "subsidiary of|wholly owned subsidiary of|sold to|taken over by|division of",
        turned=True,
    )
    yield from _phrases(
        "part_of",
        0.8,
        "part of|member of|component of|module of|subset of|included in|belongs to"
        "|belonged to|belonging to|branch of|members of|feature of|extension of|extension for|unit of"
        "|department of|affiliated with|merged into|incorporated into",
    )
    yield from _phrases(
        "part_of",
        0.65,
        "participated in|competed in|fought in|took part in|participant in",
        objects=frozenset({"Event", "Concept", "Organization"}),
    )
    yield from _phrases(
        "part_of", 0.75, "consists of|consisted of|composed of|comprised of|made up of", turned=True
    )
    yield from _phrases("located_in", 0.9, "located|based|headquartered|situated", locating=True)
    yield from _phrases(
        "located_in",
        0.65,
        "born|lives|lived|resides|resided|died|held|took place|raised|living"
        "|grew up|settled|opened|moved|buried|runs through|flows through",
        locating=True,
    )
    yield from _phrases(
        "located_in",
        0.8,
        "capital of|capital city of|city of|largest city in|largest city of"
        "|a city in|a town in|a village in|headquarters in|offices in|a suburb of|a district of"
        "|a municipality in|a county in|district in|neighborhood of|campus in|region of|province of"
        "|borders of|island of|village in|town in|city in|county in|municipality in|river in",
        objects=PLACE,
    )
    yield from _phrases(
        "uses",
        0.75,
        "written in|implemented in|programmed in|built with|powered by|dialect of"
        "|implementation of|makes use of|written for",
        subjects=THINGS | {"Document"},
    )
    yield from _phrases(
        "depends_on",
        0.85,
        "depends on|depended on|depend on|relies on|relied on|rely on|dependent on|runs on top of"
        "|built on top of|runs on|run on|requires the use of|requires use of|based on|based upon|built on|built upon"
        "|derived from|forked from|fork of",
    )
    yield from _phrases(
        "depends_on",
        0.7,
        "descended from|derivative of|adaptation of|adapted from|variant of|evolved from|grew out of",
        subjects=THINGS | {"Document"},
    )
    yield from _phrases(
        "replaces",
        0.85,
        "successor to|successor of|succeeds|replacement for|follow-up to|sequel to"
        "|took over from|replacement of|successor",
    )
    yield from _phrases(
        "replaces",
        0.8,
        "predecessor of|predecessor to|gave way to|evolved into|succeeded by|precursor to|precursor of",
        turned=True,
    )
    yield from _phrases(
        "integrates_with",
        0.8,
        "integrates with|integrated with|compatible with|interoperates with"
        "|connects to|plugin for|plug-in for|driver for|connector for|works with|interface to"
        "|client for|adapter for|bindings for|wrapper for|wrapper around",
        subjects=THINGS,
    )
    yield from _phrases(
        "knows",
        0.75,
        "worked with|works with|worked alongside|collaborated with|student of"
        "|studied under|studied with|friend of|colleague of|married to|son of|daughter of|brother of"
        "|sister of|father of|mother of|wife of|husband of|spouse of|mentor of|friends with"
        "|partnered with|teacher of|cousin of|nephew of|niece of|pupil of|descendant of|widow of",
        subjects=PEOPLE,
        objects=PEOPLE,
    )
    yield from _phrases(
        "causes", 0.8, "led to|leads to|resulted in|results in|gave rise to|cause of|brought about"
    )
    yield from _phrases("causes", 0.8, "result of|resulted from|due to|caused by", turned=True)
    yield from _phrases(
        "related_to",
        0.65,
        "studied at|graduated from|educated at|attended|degree from|alumnus of"
        "|graduate of|degree at|studied|similar to|associated with|related to|named after|competitor of"
        "|competes with|won|awarded|received|recipient of|winner of|nominated for|compared to"
        "|inspired by|influenced by|borrowed from",
    )


TRIE: dict[str, tuple[tuple[tuple[str, ...], Pattern], ...]] = {}
"""First word of a phrase to the rest of each phrase that begins with it, longest first."""
for _phrase, _pattern in _all():
    _first, *_rest = _phrase.split()
    TRIE[_first] = tuple(
        sorted((*TRIE.get(_first, ()), (tuple(_rest), _pattern)), key=lambda entry: -len(entry[0]))
    )

ROLE_OF: dict[str, tuple[str, float]] = {
    **dict.fromkeys(
        ("founder", "co-founder", "cofounder", "creator", "inventor", "author", "founders"), ("created", 0.8)
    ),
    **dict.fromkeys(
        (
            "ceo",
            "cto",
            "cfo",
            "coo",
            "chairman",
            "president",
            "director",
            "engineer",
            "researcher",
            "scientist",
            "employee",
            "executive",
            "manager",
            "spokesman",
            "professor",
            "executives",
            "chief",
            "programmer",
        ),
        ("works_for", 0.75),
    ),
    **dict.fromkeys(
        (
            "wife",
            "husband",
            "son",
            "daughter",
            "brother",
            "sister",
            "father",
            "mother",
            "student",
            "colleague",
            "friend",
            "mentor",
            "partner",
            "cousin",
            "nephew",
            "grandson",
        ),
        ("knows", 0.75),
    ),
    **dict.fromkeys(("subsidiary", "division"), ("owned", 0.75)),
    **dict.fromkeys(("maintainer", "architect"), ("works_on", 0.7)),
}
"""A noun between two names, "Oracle's founder Larry Ellison": what the second is to the first."""

NEGATIONS = word_set("""
    not never without no neither nor cannot n't isn't wasn't weren't didn't doesn't don't hasn't hadn't won't
    isn’t wasn’t weren’t didn’t doesn’t don’t hasn’t hadn’t won’t couldn't wouldn't unlike except instead rather
""")
HEDGES = word_set("""
    would could might may should if whether unless supposedly allegedly reportedly rumored rumoured alleged
    claimed denied denies failed refused declined planned plans tried attempted wanted hoped considered
    hypothetically hopes intends intended proposed-to unable falsely wrongly mistakenly almost nearly
    will can must speculated
""")
DOUBTFUL_OPENINGS = word_set(
    "if suppose imagine whether assuming should had could would does did is are can what who why how"
)
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
BREAKS = word_set(
    "but while whereas although though because when where after before until whose since unless"
)
BE = word_set("is was are were be been being")
HAVE = word_set("has have had having")
PREPOSITIONS = word_set("""
    in at for with by from on to during after as about into under within between against through over toward
    towards among near via alongside like around outside behind per than upon
""")
RELATIVE = word_set("who which that")
BY_LINE = word_set("he she it they")
FIRST_NOUNS: dict[str, frozenset[str]] = {
    **dict.fromkeys(
        ("company", "firm", "university", "group", "band", "organization", "organisation", "team"), EMPLOYER
    ),
    **dict.fromkeys(
        (
            "database",
            "system",
            "language",
            "library",
            "extension",
            "project",
            "software",
            "tool",
            "framework",
            "protocol",
            "product",
            "platform",
        ),
        THINGS,
    ),
    **dict.fromkeys(("city", "town", "village", "river", "county", "island"), PLACE),
    **dict.fromkeys(("war", "battle", "conference", "festival", "award"), frozenset({"Event"})),
    **dict.fromkeys(("film", "novel", "book", "paper", "album", "song"), frozenset({"Document"})),
}
"""Definite descriptions that may stand for what a document is about."""
