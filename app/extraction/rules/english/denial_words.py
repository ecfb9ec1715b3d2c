"""Words that deny a claim or declare its end, and the words that they deny, as data."""

import re

from app.domain.scoring.stop_words import split_into_word_set
from app.extraction.rules.english.past.former_states import PAST_ADVERBS, PAST_STATE_PHRASES, PLUPERFECT
from app.extraction.rules.english.words.deal_forms import SIGNS_OF_NO_DEAL

POSITIVE_PHRASE_BY_DENIAL: tuple[tuple[str, str], ...] = (
    # The second column is the denied claim: "no longer works for" denies "works for".
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
        (f"{verb} {negation} {preposition}", "works for")
        for verb, negation in (("is", "no longer"), ("is", "not"), ("was", "no longer"), ("has", "not been"))
        for preposition in ("with", "at")
    ),
    ("isn't with", "works for"),
    ("isn’t with", "works for"),
    ("no longer with", "works for"),
    *(
        (f"{adverb} {preposition}", "worked for")
        for adverb in ("formerly", "previously", "until recently", "late")
        for preposition in ("of", "at", "with")
    ),
    *(
        (f"{verb_phrase} the board of", "is a member of")
        for verb_phrase in ("left", "resigned from", "retired from", "stepped down from", "was voted off")
    ),
    *PAST_STATE_PHRASES,
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
"""Phrases between two names, and the words for the claim that they deny. Longer phrases are tried first."""

MEMBERSHIP_OF_GROUP = "is part of"
"""The claim that "left" denies of a country or a company; a person who left worked there."""
MEMBERSHIP_OF_PERSON = "is a member of"
"""The claim that it denies if an organization was left."""
EMPLOYMENT = "worked for"
MEMBERSHIPS = split_into_word_set(
    "party alliance union league association society club federation coalition guild band"
)
"""Words in the names of organizations that people leave as members, not as employees."""

PHRASES_THAT_DENY_NOTHING = frozenset(("not only", "not just", "not until", "never before"))
"""Phrases with a negation that deny nothing."""

ENDS_BY_VERB = frozenset(
    phrase
    for phrase, positive_phrase in POSITIVE_PHRASE_BY_DENIAL
    if (phrase, positive_phrase) not in PAST_STATE_PHRASES
    and positive_phrase not in ("", "is", "are", "was", "were", "has", "have")
)
"""Endings after which another name may be the replacement: "left Acme for Zeta"."""
FORMER_STATE_WORDS = frozenset(
    (
        "formerly",
        "former",
        "a former",
        "the former",
        "used to",
        *(past_phrase for past_phrase, _ in PAST_STATE_PHRASES),
    )
)
"""Words that, with a date, state until when something held."""
SALE_ENDINGS = frozenset(("sold", "sold off", "divested", "spun off"))
"""Endings after which the other name is the new owner: "sold MySQL to Oracle"."""
ENDS_OF_USE = tuple(
    f" {phrase}" for phrase, positive_phrase in POSITIVE_PHRASE_BY_DENIAL if positive_phrase == "uses"
)
"""Ends of words before a thing that somebody gave up: " switched from"."""
REPLACEMENT_WORDS = frozenset(("to", "with", "in favour of", "in favor of", "for", "to the", "with the"))
"""Words between the thing given up and its replacement."""

CONTRAST_WORDS = frozenset(
    f"{conjunction} {preposition}"
    for conjunction in ("but", ", but")
    for preposition in ["to", "for", "at", "with", "by", "on", "in", "of"]
)
"""Words between two names: the denial of the first is asserted of the second."""
_CONTRAST_PHRASES = (
    ", not",
    "not",
    "and not",
    "but not",
    ", and not",
    ", but not",
    "rather than",
    "instead of",
)
CONTRASTS = frozenset(
    f"{contrast} {preposition}".strip()
    for contrast in _CONTRAST_PHRASES
    for preposition in ("", "of", "for", "at", "with", "by", "in", "on")
)
"""Words between two names: the statement about the first is denied of the second."""

_UNTRUE_PREDICATE = (
    "(?:simply |just |absolutely |plainly )?(?:untrue|false|incorrect|wrong|unfounded|baseless|made up|a lie"
    "|a myth|nonsense|(?:not|no longer) (?:true|correct|the case|so))"
)
REFUTED_HEAD = re.compile(
    rf"(?:(?:\S+ ){{0,40}}?, )?(?:\S+ ){{0,4}}?"
    rf"(?:(?:it|that|this) (?:is|was|'s|’s|has been) {_UNTRUE_PREDICATE}"
    r"|(?:it|that) (?:isn['’]t|wasn['’]t) (?:true|correct|the case|so)"
    r"|there is no truth (?:in|to) \S+(?: \S+)?|contrary to (?:\S+ ){1,5}?) ?(?=that )"
)
"""Beginnings of a sentence that deny the clause after their "that"."""
REPORTED_HEAD = re.compile(
    r"(?:(?:the|any|all|some|earlier|recent|such|media|press|these) )*"
    r"(?:reports?|statements?|stor(?:y|ies)|allegations?|suggestions?|news|assertions?|notion|idea) that "
)
REFUTED_TAIL = re.compile(rf" (?:is|are|was|were|proved|turned out to be) {_UNTRUE_PREDICATE} (?:[.,;!]|$)")
"""Ends of a sentence that deny the report at its beginning."""
WORDS_AFTER_REFUTATION = split_into_word_set("; but however – — although though since because while instead")
"""Words after which a sentence continues with what is true."""
DENIES_SUBJECT = split_into_word_set("neither nor")
"""Words before a name that deny the verb's statement about it."""

TRAILING_DENIALS = ("no longer", "no more", "any more", "any longer")
ENDING_VERBS = split_into_word_set("""
    stop stopped stopping cease ceased ceasing quit quitting leave left leaving resign resigned resigning
    retire retired retiring abandon abandoned abandoning discontinue discontinued divorce divorced
""")
"""Verbs of ending; directly after a negation the end itself is denied."""
UNTIL_WORDS = frozenset(("until", "till"))
UNTIL_EVENT = frozenset(f"until {determiner}" for determiner in ("his", "her", "its", "their", "the"))
"""Words after a name that end a statement with an event without a date: "until his death"."""

SALE_DATE = re.compile(r"(?:in|on|by|during)(?: \w+){0,2},? \d{4}\b|last (?:year|month|week|spring|autumn)")
"""Dates after the object of a sale; an offer has none."""

_FREQUENT_WORDS = frozenset(("is", "was", "a", "the"))
WORDS_OF_DENIAL = (
    frozenset(
        next(word for word in phrase.split() if word not in _FREQUENT_WORDS)
        for phrase, positive_phrase in POSITIVE_PHRASE_BY_DENIAL
        if (phrase, positive_phrase) not in PAST_STATE_PHRASES
    )
    | DENIES_SUBJECT
    | frozenset((*PAST_ADVERBS, PLUPERFECT.strip()))
    | split_into_word_set("""
        longer more rather instead not true false untrue incorrect wrong unfounded baseless lie myth
        nonsense contrary until
    """)
)
"""Every sentence with a denial contains one of these; others are skipped after one look-up."""

SIGNS_OF_DENIAL = (
    WORDS_OF_DENIAL
    | SIGNS_OF_NO_DEAL
    | split_into_word_set("""
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
"""Every English quote that denies or ends something, in whatever wording, contains one of these."""
