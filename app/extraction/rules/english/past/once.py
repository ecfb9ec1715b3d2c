"""How people tell that something once was so and is so no more, without a word of denial."""

import re

from app.domain.relation_types import RELATION_TYPES
from app.domain.scoring.stop_words import word_set

ONCE = ("once", "previously", "formerly", "earlier")
HELD = (
    "worked for",
    "worked at",
    "worked as",
    "worked in",
    "been employed by",
    "employed by",
    "employed at",
    "employed with",
    "served as",
    "taught at",
    "played for",
    "owned by",
    "owned",
    "used",
    "led",
    "led by",
    "headed",
    "headed by",
    "chaired",
    "managed",
    "managed by",
    "reported to",
    "belonged to",
    "lived in",
    "part of",
    "a part of",
    "a member of",
    "a subsidiary of",
    "married to",
    "headquartered in",
    "based in",
    "located in",
)
PAST: tuple[tuple[str, str], ...] = (
    *((f"{once} {verb_phrase}", verb_phrase) for once in ONCE for verb_phrase in HELD),
    *(
        (f"worked {once} {preposition}", f"worked {preposition}")
        for once in ONCE
        for preposition in ("for", "at")
    ),
    *((f"had {verb_phrase}", verb_phrase) for verb_phrase in ("worked for", "worked at", "worked as")),
    *(
        (f"had been {verb_phrase}", f"was {verb_phrase}")
        for verb_phrase in ("employed by", "employed at", "employed with")
    ),
)
"""Phrase between two names, and the words that state what it says to be over."""
PLUPERFECT = "had "
"""With this and with how long ("for ten years", "since 2010") it may go on."""
ONCE_IN_POST = word_set("once previously earlier")
"""Right before what somebody is at a firm, "previously CEO of"."""

_CAREER = r"(?:his|her|their) (?:career|life|working life)"
_AGO = r"(?:[a-z]+ )?(?:(?:years|months|decades) ago|a (?:year|decade) ago)"
_MOVE = (
    "(?:that|this|then|he|she|they|joining|moving|going|becoming|starting|founding|coming|entering|taking"
    "|turning|switching|being|leaving|retiring|setting|launching|his|her|their"
    "|it (?:moved|switched|migrated|became|relocated|changed))"
)
_THEN = (
    rf"previously|formerly|in the past(?! (?:year|month|week|decade|few|two|three))|at one (?:time|point)"
    rf"|(?:early|earlier|early on) in {_CAREER}|at the (?:start|beginning|outset) of {_CAREER}"
    rf"|in (?:his|her|their) (?:youth|twenties|thirties|early (?:career|years|twenties|thirties))"
    rf"|{_AGO}|long ago|before {_MOVE}|prior to {_MOVE}"
)
OPENS_PAST = re.compile(rf"(?:(?:and|but) )?(?:(?:earlier|{_THEN})\b[^,;]* ,|previously|formerly)(?= )")
"""At the head of a sentence: what its first clause says of the past is over."""
CLOSES_PAST = re.compile(
    r"(?:,? ?(?:as an? [a-z]+|in \d+|for [a-z\d]+ (?:years|months|decades)) )?"
    rf",? ?(?:{_THEN}|until recently)(?= |$)"
)
"""Behind a name: what was said of it is over."""
SIGNS_OF_PAST = word_set(
    "previously formerly past earlier early time point start beginning outset ago before prior now"
    " youth twenties thirties recently"
)
"""A sentence without one of these tells nothing so."""
WAS_SO = word_set("""
    worked was were served led headed chaired ran managed owned used lived taught played employed belonged
    reported sat based located headquartered
""")
"""What is told with one of these may be over; what happened has happened for good."""
GOES_ON = word_set("now currently still since then later again")
"""With one of these it is not that which is over."""
CAN_END = frozenset(relation_type.name for relation_type in RELATION_TYPES if relation_type.past_ends)
CAN_END_BY_VERB = {
    relation_type.name: relation_type.past_verbs
    for relation_type in RELATION_TYPES
    if relation_type.past_verbs
}
"""The relations that a state of the past may have ended; of some only those that these words told."""
