"""Phrases for past states that hold no more, without a word of denial."""

import re

from app.domain.relation_types import RELATION_TYPES
from app.domain.scoring.stop_words import split_into_word_set

PAST_ADVERBS = ("once", "previously", "formerly", "earlier")
PAST_ROLE_PHRASES = (
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
PAST_STATE_PHRASES: tuple[tuple[str, str], ...] = (
    *(
        (f"{adverb} {verb_phrase}", verb_phrase)
        for adverb in PAST_ADVERBS
        for verb_phrase in PAST_ROLE_PHRASES
    ),
    *(
        (f"worked {adverb} {preposition}", f"worked {preposition}")
        for adverb in PAST_ADVERBS
        for preposition in ("for", "at")
    ),
    *((f"had {verb_phrase}", verb_phrase) for verb_phrase in ("worked for", "worked at", "worked as")),
    *(
        (f"had been {verb_phrase}", f"was {verb_phrase}")
        for verb_phrase in ("employed by", "employed at", "employed with")
    ),
)
"""Phrases between two names, and the words for the state that they declare to be over."""
PLUPERFECT = "had "
"""With this and a duration ("for ten years", "since 2010") the state may continue."""
PAST_POST_ADVERBS = split_into_word_set("once previously earlier")
"""Words right before a post at a company: "previously CEO of"."""

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
"""Beginnings of a sentence whose first clause states a past state."""
CLOSES_PAST = re.compile(
    r"(?:,? ?(?:as an? [a-z]+|in \d+|for [a-z\d]+ (?:years|months|decades)) )?"
    rf",? ?(?:{_THEN}|until recently)(?= |$)"
)
"""Words after a name that declare the statement about it to be over."""
SIGNS_OF_PAST = split_into_word_set(
    "previously formerly past earlier early time point start beginning outset ago before prior now"
    " youth twenties thirties recently"
)
"""Every sentence about a past state contains one of these."""
PAST_STATE_VERBS = split_into_word_set("""
    worked was were served led headed chaired ran managed owned used lived taught played employed belonged
    reported sat based located headquartered
""")
"""Words of states, which may be over; events remain true."""
CONTINUATION_ADVERBS = split_into_word_set("now currently still since then later again")
"""Words with which the state itself is not over."""
RELATIONS_THAT_CAN_END = frozenset(
    relation_type.name for relation_type in RELATION_TYPES if relation_type.undated_past_ends_it
)
PAST_VERBS_BY_RELATION = {
    relation_type.name: relation_type.past_verbs
    for relation_type in RELATION_TYPES
    if relation_type.past_verbs
}
"""Relations that a past state may have ended, and the words to which some of them are limited."""
