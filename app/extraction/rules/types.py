"""What kind of thing a name is, read from the name itself and from the words around it."""

import re

from app.extraction.rules.lexicon import (
    COMPANIES,
    GIVEN_NAMES,
    HONORIFICS,
    KIND_OF,
    KIND_OF_HEAD,
    PERSON_VERBS,
    PLACE_NAMES,
    PLACES,
    TECHNOLOGIES,
)
from app.extraction.rules.spans import Sentence, Span
from app.scoring.stop_words import word_set

_INITIALS = re.compile(r"(?:[A-Z]\.-?)+")
_BE = word_set("is was are were became remains")
_ARTICLES = word_set("a an the one another his her its their")
_ENDS_PHRASE = word_set("""
    of by in that who which for at from on with to and or but as where when whose , ; . ( ) : while
    created developed written designed founded released based located owned
""")
_PLACE_PREPOSITIONS = word_set("in at near from to around outside")
_PLACE_VERBS = word_set("""
    located born based headquartered situated lives lived resides moved grew raised returned emigrated settled
    died living residing relocated
""")
_LATER = word_set("had has have later also then first subsequently originally")
_BUILDS = word_set("created developed built designed deprecated implemented")
_FIRMS = word_set("electric dynamics motors mills foods instruments")
_MAKES_NAMES = word_set("wrote authored co-wrote composed")
_RELIES = word_set("based built depends depended relies runs")
_OF_SYSTEMS = word_set("""
    extension fork version versions planner optimizer parser driver client plugin syntax committer dialect port
    copy source users edition release releases
""")
_ODD = re.compile(r"\w*(?:[a-z][A-Z]|[A-Z]{3}|\w\d)\w*(?:[/-]\w+)?")
_WITHOUT_PERSON = re.compile(r".*(?:[A-Z]{2}|\d|[a-z]\.[a-z])")
_WORK_VERBS = word_set("worked works working employed employee joined")
_PEOPLES_VERBS = word_set("worked joined became led received co-authored")
_MAKING = word_set("founded co-founded created wrote written developed designed invented proposed led")
_YEAR = re.compile(r"(?:19|20)\d\d")
Votes = dict[str, float]


def _vote(votes: Votes, kind: str, strength: float) -> None:
    votes[kind] = votes.get(kind, 0.0) + strength


def _phrase_kind(sentence: Sentence, at: int) -> str | None:
    """The kind that a noun phrase names: the last kind word before the phrase ends, within nine words."""
    kind: str | None = None
    for word in sentence.lower[at : at + 9]:
        if word in _ENDS_PHRASE:
            # "one of the first database systems": the phrase goes on.
            if word == "of" and kind is None:
                continue
            break
        if word == "between" and kind == "Location":
            return None  # "a bridge between two worlds"
        found = KIND_OF.get(word)
        if found is None and word.endswith("s"):
            found = KIND_OF.get(word[:-1])
        kind = found or kind
    return kind


def looks_like_a_person(sentence: Sentence, span: Span) -> bool:
    """Two or three words in ordinary capitals, none of which is the name of a kind of thing."""
    words = sentence.words[span.first : span.last]
    return len(words) in (2, 3) and all(
        word.isalpha() and word[1:].islower() and word.lower() not in KIND_OF for word in words
    )


def vote_by_name(key: str, words: list[str], lower: list[str]) -> Votes:
    """The kinds that the name alone suggests; `key` is the normalised name."""
    votes: Votes = {}
    last = lower[-1].rstrip(".")
    if key in PLACES or key in PLACE_NAMES:
        _vote(votes, "Location", 3.5)
    elif key in TECHNOLOGIES:
        _vote(votes, "Technology", 3.5)
    elif key in COMPANIES:
        _vote(votes, "Organization", 3.5)
    if len(words) > 1:
        before_of = lower[lower.index("of") - 1] if "of" in lower[1:] else ""
        heads = [word for word in (before_of, lower[0] if before_of else "", last) if word]
        if "for" in lower[1:-1]:
            heads.insert(0, lower[lower.index("for", 1) - 1])
        for word in heads[:2] if before_of else heads:
            kind = KIND_OF_HEAD.get(word) or KIND_OF.get(word)
            if kind not in (None, "Concept", "Person"):
                _vote(votes, str(kind), 3.0)
                break
        else:
            if lower[0] in ("lake", "mount", "mt.", "fort", "port", "cape", "river", "saint", "st."):
                _vote(votes, "Location", 2.0)
        if _YEAR.fullmatch(last):
            _vote(votes, "Event", 2.0)
        elif last.isdigit():
            _vote(votes, "Product", 2.0)
    if lower[0].rstrip(".") in HONORIFICS and len(words) > 1 and not votes and lower[1] not in _FIRMS:
        _vote(votes, "Person", 3.0)
    elif 2 <= len(words) <= 5 and all(word[0].isalpha() for word in words) and not votes:
        if lower[0] in GIVEN_NAMES or (
            any(_INITIALS.fullmatch(word) for word in words[:-1]) and len(words[-1]) > 2
        ):
            _vote(votes, "Person", 3.0)
    elif len(words) == 1 and key in GIVEN_NAMES:
        _vote(votes, "Person", 1.5)
    if is_spelt_oddly(words):
        _vote(votes, "Technology", 0.5)
    if sum(votes.values()) <= 0.5:
        if words[-1].endswith(("DB", "SQL")) and len(words[-1]) > 3:
            _vote(votes, "Technology", 1.5)
        elif len(words) > 1 and lower[0] == "apache":
            _vote(votes, "Technology", 2.0)
        elif len(words) > 1 and lower[0] in COMPANIES and last not in KIND_OF:
            _vote(votes, "Product", 1.5)
    return votes


def is_spelt_oddly(words: list[str]) -> bool:
    """One word with a capital or a digit inside, or all in capitals: so are programs named."""
    return len(words) == 1 and _ODD.fullmatch(words[0]) is not None


def without_person(words: list[str]) -> bool:
    """Whether a name is written as no person's name is: one word with "DB" or a digit in it."""
    return len(words) == 1 and _WITHOUT_PERSON.match(words[0]) is not None


def vote_by_context(sentence: Sentence, span: Span, votes: Votes) -> None:
    """Adds the kinds that the words before and after the name suggest."""
    lower, count = sentence.lower, len(sentence.lower)
    first, last = span.first, span.last
    before = lower[first - 1] if first else ""
    earlier = lower[first - 2] if first > 1 else ""
    if before.rstrip(".") in HONORIFICS:
        _vote(votes, "Person", 2.5)
    elif before in KIND_OF:
        _vote(votes, KIND_OF[before], 2.0)
    elif before == "of" and KIND_OF.get(earlier) == "Location":
        _vote(votes, "Location", 3.0)
    elif before in _PLACE_PREPOSITIONS:
        if earlier in _PLACE_VERBS:
            # People move and return to firms as well.
            _vote(votes, "Location", 1.2 if before == "to" else 2.5)
        elif earlier in _WORK_VERBS and before in ("at", "for"):
            _vote(votes, "Organization", 2.0)
        elif earlier in ("written", "implemented", "programmed") and before == "in":
            _vote(votes, "Technology", 2.0)
        elif before == "in":
            _vote(votes, "Location", 0.6)
    elif before in ("founded", "co-founded", "cofounded"):
        _vote(votes, "Organization", 2.0)
    elif before == "joined":
        _vote(votes, "Organization", 1.5)
    elif before in ("acquired", "bought"):
        _vote(votes, "Organization", 1.0)
    elif before == "on" and earlier in _WORK_VERBS:
        _vote(votes, "Technology", 1.0)
    elif before in _BUILDS and is_spelt_oddly(sentence.words[first:last]):
        _vote(votes, "Technology", 1.5)
    elif before in _MAKES_NAMES and last - first > 1:
        _vote(votes, "Document", 3.5)
    elif before in ("uses", "used", "using", "supports") or (before == "on" and earlier in _RELIES):
        _vote(votes, "Technology", 1.0)
    elif before in ("of", "for") and earlier in _OF_SYSTEMS:
        _vote(votes, "Technology", 1.5)
    elif before == "by" and earlier in _MAKING and looks_like_a_person(sentence, span):
        _vote(votes, "Person", 1.0)
    elif before == "for" and earlier in _WORK_VERBS:
        _vote(votes, "Organization", 2.0)

    at = last
    if at < count and lower[at] == "(":
        close = at + 1
        while close < count and close - at < 30 and lower[close] != ")":
            close += 1
        if lower[at + 1 : at + 2] in (["born"], ["b."], ["née"]) or "born" in lower[at:close]:
            _vote(votes, "Person", 4.0)
        at = close + 1
    if at >= count:
        return
    if lower[at : at + 2] in (["and", "others"], ["and", "colleagues"]) and at + 2 < count:
        at += 2
    if lower[at] in _LATER and at + 1 < count:
        at += 1
    after = lower[at]
    following = lower[at + 1] if at + 1 < count else ""
    if after in _BE:
        if following == "born":
            _vote(votes, "Person", 4.0)
        elif following in ("based", "built", "forked", "written", "implemented", "compatible"):
            _vote(votes, "Technology", 1.0)
        elif following in _ARTICLES:
            kind = _phrase_kind(sentence, at + 2)
            if kind:
                _vote(votes, kind, 4.0)
    elif after == "," and following in _ARTICLES:
        kind = _phrase_kind(sentence, at + 2)
        if kind:
            _vote(votes, kind, 2.5)
    elif after == "who" or (after == "," and following == "who") or after in PERSON_VERBS:
        _vote(votes, "Person", 2.0)
    elif after in _PEOPLES_VERBS and looks_like_a_person(sentence, span):
        _vote(votes, "Person", 1.5)
    elif after in ("depends", "integrates", "runs", "supports"):
        _vote(votes, "Technology", 1.0)
    elif after in ("uses", "used", "ran"):
        _vote(votes, "Technology", 0.5)
    elif after in ("founded", "co-founded") and looks_like_a_person(sentence, span):
        _vote(votes, "Person", 1.5)
    elif after in _MAKING and looks_like_a_person(sentence, span):
        _vote(votes, "Person", 1.0)
    elif after == "acquired":
        _vote(votes, "Organization", 1.5)
    elif after in ("sold", "bought", "owned", "owns") or (after == "created" and last - first == 1):
        _vote(votes, "Organization", 1.0)
    elif after == "," and following in PLACES and before in _PLACE_PREPOSITIONS:
        _vote(votes, "Location", 2.0)
    elif after in KIND_OF and KIND_OF[after] not in ("Person", "Location", "Event", "Concept"):
        _vote(votes, KIND_OF[after], 1.5)


def decide(votes: Votes) -> tuple[str, bool]:
    """The kind with most support, and whether it was read from the text and is no default."""
    if not votes:
        return "Concept", False
    kind = min(votes, key=lambda name: (-votes[name], name))
    return (kind, True) if votes[kind] >= 1.5 else ("Concept", False)
