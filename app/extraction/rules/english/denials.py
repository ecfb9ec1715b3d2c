"""The words that deny a claim or say that it came to an end, and what is denied, as data."""

import re

from app.domain.scoring.stop_words import word_set
from app.extraction.rules.english.past.once import ONCE, PAST, PLUPERFECT
from app.extraction.rules.english.words.dealt import SIGNS_OF_NO_DEAL

DENIED_BEFORE: tuple[tuple[str, str], ...] = (
    # What stands for it is what is denied: "no longer works for" denies "works for".
    ("no longer", ""),
    ("is not any more", "is"),
    ("does not", ""),
    ("do not", ""),
    ("did not", ""),
    ("doesn't", ""),
    ("don't", ""),
    ("didn't", ""),
    ("doesn’t", ""),
    ("don’t", ""),
    ("didn’t", ""),
    ("cannot", ""),
    ("can not", ""),
    ("can't", ""),
    ("can’t", ""),
    ("isn't", "is"),
    ("wasn't", "was"),
    ("aren't", "are"),
    ("weren't", "were"),
    ("hasn't", "has"),
    ("haven't", "have"),
    ("isn’t", "is"),
    ("wasn’t", "was"),
    ("aren’t", "are"),
    ("weren’t", "were"),
    ("hasn’t", "has"),
    ("haven’t", "have"),
    ("never", ""),
    ("neither", ""),
    ("not", ""),
    ("formerly", ""),
    ("a former", "a"),
    ("the former", "the"),
    ("former", ""),
    ("used to", ""),
    ("ceased to", ""),
    ("stopped", ""),
    ("ceased", ""),
    ("quit using", "uses"),
    ("left", "worked for"),
    ("quit", "worked for"),
    ("resigned from", "worked for"),
    ("retired from", "worked for"),
    ("departed from", "worked for"),
    ("departed", "worked for"),
    ("was fired from", "worked for"),
    ("was fired by", "worked for"),
    ("was dismissed from", "worked for"),
    ("was dismissed by", "worked for"),
    ("was laid off by", "worked for"),
    ("was let go by", "worked for"),
    ("was let go from", "worked for"),
    ("was sacked by", "worked for"),
    ("was sacked from", "worked for"),
    ("was ousted from", "worked for"),
    ("was made redundant by", "worked for"),
    ("lost his job at", "worked for"),
    ("lost her job at", "worked for"),
    *(
        (f"{be} {no} {preposition}", "works for")
        for be, no in (("is", "no longer"), ("is", "not"), ("was", "no longer"), ("has", "not been"))
        for preposition in ("with", "at")
    ),
    ("isn't with", "works for"),
    ("isn’t with", "works for"),
    ("no longer with", "works for"),
    *(
        (f"{once} {preposition}", "worked for")
        for once in ("formerly", "previously", "until recently", "late")
        for preposition in ("of", "at", "with")
    ),
    *(
        (f"{verb_phrase} the board of", "is a member of")
        for verb_phrase in ("left", "resigned from", "retired from", "stepped down from", "was voted off")
    ),
    *PAST,
    ("is divorced from", "is married to"),
    ("divorced from", "married to"),
    ("divorced", "married"),
    ("separated from", "married to"),
    ("resigned as", "as"),
    ("stepped down as", "as"),
    ("retired as", "as"),
    ("withdrew from", "is part of"),
    ("split from", "is part of"),
    ("broke away from", "is part of"),
    ("seceded from", "is part of"),
    ("was expelled from", "is part of"),
    ("abandoned", "uses"),
    ("dropped support for", "supports"),
    ("ended support for", "supports"),
    ("removed support for", "supports"),
    ("dropped", "uses"),
    ("phased out", "uses"),
    ("moved away from", "uses"),
    ("moved off", "uses"),
    ("migrated away from", "uses"),
    ("migrated off", "uses"),
    ("got rid of", "uses"),
    ("decommissioned", "uses"),
    ("replaced", "uses"),
    ("sold off", "owns"),
    ("sold", "owns"),
    ("divested", "owns"),
    ("spun off", "owns"),
    ("moved from", "is located in"),
    ("relocated from", "is located in"),
    ("moved its headquarters from", "is headquartered in"),
    ("moved out of", "is located in"),
    ("switched from", "uses"),
    ("switched away from", "uses"),
    ("migrated from", "uses"),
    ("transitioned from", "uses"),
    ("left his job at", "worked for"),
    ("left her job at", "worked for"),
    ("left his post at", "worked for"),
    ("left her post at", "worked for"),
    ("left his position at", "worked for"),
    ("left her position at", "worked for"),
)
"""Phrase between two names, and the words that state what it denies. Longer phrases are tried first."""

LEFT_BY_NO_PERSON = "is part of"
"""What "left" denies of a country or a company: a person who left works elsewhere."""
LEFT_BY_MEMBERS = "is a member of"
"""What the same denies where what is left is an organization."""
EMPLOYMENT = "worked for"
MEMBERSHIPS = word_set("party alliance union league association society club federation coalition guild band")
"""What bears such a name is left by its members."""

CONTINUED = frozenset(("not only", "not just", "not until", "never before"))
"""These deny nothing."""

ENDS_BY_VERB = frozenset(
    phrase
    for phrase, stands_for in DENIED_BEFORE
    if (phrase, stands_for) not in PAST and stands_for not in ("", "is", "are", "was", "were", "has", "have")
)
"""Behind these another name may say what came instead: "left Acme for Zeta"."""
FORMER = frozenset(("formerly", "former", "a former", "the former", "used to", *(was for was, _ in PAST)))
"""With a date these say until when it held."""
HANDED_ON = frozenset(("sold", "sold off", "divested", "spun off"))
"""Behind these the other name says who has it now: "sold MySQL to Oracle"."""
EXCHANGED_FOR = frozenset(("to", "with", "in favour of", "in favor of", "for", "to the", "with the"))
"""Between what was given up and what came in its place."""

BUT_RATHER = frozenset(
    f"{but} {preposition}"
    for but in ("but", ", but")
    for preposition in ["to", "for", "at", "with", "by", "on", "in", "of"]
)
"""Between two names: what was denied of the first is said of the second."""
_CONTRASTS = (", not", "not", "and not", "but not", ", and not", ", but not", "rather than", "instead of")
CONTRASTS = frozenset(
    f"{contrast} {preposition}".strip()
    for contrast in _CONTRASTS
    for preposition in ("", "of", "for", "at", "with", "by", "in", "on")
)
"""Between two names: what was said of the first is denied of the second."""

_UNTRUE = (
    "(?:simply |just |absolutely |plainly )?(?:untrue|false|incorrect|wrong|unfounded|baseless|made up|a lie"
    "|a myth|nonsense|(?:not|no longer) (?:true|correct|the case|so))"
)
REFUTED_HEAD = re.compile(
    rf"(?:(?:\S+ ){{0,40}}?, )?(?:\S+ ){{0,4}}?(?:(?:it|that|this) (?:is|was|'s|’s|has been) {_UNTRUE}"
    r"|(?:it|that) (?:isn['’]t|wasn['’]t) (?:true|correct|the case|so)"
    r"|there is no truth (?:in|to) \S+(?: \S+)?|contrary to (?:\S+ ){1,5}?) ?(?=that )"
)
"""At the head of a sentence: what stands behind its "that" is denied."""
REPORTED_HEAD = re.compile(
    r"(?:(?:the|any|all|some|earlier|recent|such|media|press|these) )*"
    r"(?:reports?|statements?|stor(?:y|ies)|allegations?|suggestions?|news|assertions?|notion|idea) that "
)
REFUTED_TAIL = re.compile(rf" (?:is|are|was|were|proved|turned out to be) {_UNTRUE} (?:[.,;!]|$)")
"""At the end of a sentence that begins with the first: what is reported is denied."""
REFUTES_NO_MORE = word_set("; but however – — although though since because while instead")
"""Behind these a sentence goes on with what is so."""
DENIES_SUBJECT = word_set("neither nor")
"""Before a name: what the verb says is denied of it."""

TRAILING = ("no longer", "no more", "any more", "any longer")
ENDINGS = word_set("""
    stop stopped stopping cease ceased ceasing quit quitting leave left leaving resign resigned resigning
    retire retired retiring abandon abandoned abandoning discontinue discontinued divorce divorced
""")
"""Right behind a negation these deny that something ended."""
UNTIL = frozenset(("until", "till"))
UNTIL_EVENT = frozenset(f"until {whose}" for whose in ("his", "her", "its", "their", "the"))
"""Behind a name: what was said of it held until something that is told without a date, "until his death"."""

SALE_DATED = re.compile(r"(?:in|on|by|during)(?: \w+){0,2},? \d{4}\b|last (?:year|month|week|spring|autumn)")
"""Behind what was sold these say when it went; an offer has no date of its own."""

_COMMON = frozenset(("is", "was", "a", "the"))
WORDS = (
    frozenset(
        next(word for word in row[0].split() if word not in _COMMON)
        for row in DENIED_BEFORE
        if row not in PAST
    )
    | DENIES_SUBJECT
    | frozenset((*ONCE, PLUPERFECT.strip()))
    | word_set("""
        longer more rather instead not true false untrue incorrect wrong unfounded baseless lie myth
        nonsense contrary until
    """)
)
"""One of these stands in every sentence that is read for denials: a sentence without them costs one look."""

SIGNS_OF_DENIAL = (
    WORDS
    | SIGNS_OF_NO_DEAL
    | word_set("""
    no none nobody without was were had did until till ended ending ends end lost loses closed closing
    shut terminated cancelled canceled expired dissolved divorced separated severed parted ex past late
    once previously earlier discontinued deprecated removed revoked withdrawn cut exited exits leaves
    leaving quits retires resigns sells selling gone defunct disbanded replaced superseded denied denies
    died killed murdered assassinated executed beheaded passed broke broken split dissolved wound liquidated
    abolished folded closed
    transferred went gone voted took takes taking successor replacement succeed replace succeeded succeeds
    succeeding replaces replacing followed before ago early career handed
    gave given over forced last final expires probation failed resignation departure dismissal retirement
    redundancy retiring leave
    stepping steps stands stood resigning joining moving switching lie unfounded baseless nonsense
    then sale transferred bought acquired purchased
    defected jumped crossed returned back
    incorrectly wrongly mistakenly erroneously inaccurately misstated misreported retracted
    refuted rejects rejected false untrue incorrect myth instead rather unlike fails failed cannot isn
    aren wasn weren doesn don didn hasn haven longer
""")
)
"""An English quote that denies or ends something, in whatever turn of phrase, holds one of these."""
