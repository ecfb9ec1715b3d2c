"""The kind of a name, inferred from the name itself and from the words around it."""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from app.domain.node_types import PLACED_TYPES, PROGRAMS
from app.domain.scoring.stop_words import STOP_WORDS, split_into_word_set
from app.extraction.rules.english.gazetteers import CITIES, FIRST_NAMES
from app.extraction.rules.english.grammar import DETERMINERS, POSSESSIVES, PREPOSITIONS
from app.extraction.rules.english.kind_votes import (
    BIRTH_STRENGTH,
    BIRTH_WORDS,
    BUILDING_NOUNS,
    CITY_STRENGTH,
    CLUB_INITIALS,
    CUES_AFTER_NAME,
    CUES_BEFORE_NAME,
    FIRM_WORDS_AFTER_HONORIFIC,
    FIRST_WORDS_OF_KINDS,
    HEAD_STRENGTH,
    HOUSE_STRENGTH,
    KIND_OF_WELL_KNOWN_NAMES,
    LEADER_NOUNS,
    MIN_VOTES,
    NAMES_OF_PLACES,
    NON_VOTING_KINDS,
    PERSONAL_OFFICES,
    PLACE_PREPOSITIONS,
    PLACE_SURNAMES,
    WELL_KNOWN_STRENGTH,
)
from app.extraction.rules.english.lexicon import (
    COMPANIES,
    GIVEN_NAMES,
    HONORIFICS,
    KIND_OF,
    KIND_OF_HEAD,
    LEGAL_TAILS,
    NAME_PARTICLES,
    SUBJECT_VERBS,
)
from app.extraction.rules.english.name_words import NOBILITY
from app.extraction.rules.names.quoted import QUOTES, split_nickname
from app.extraction.rules.names.spans import Span
from app.extraction.rules.rule_tables import KindCue, Shape, group_by_word
from app.extraction.rules.sentences import Sentence
from app.extraction.rules.tokens import word_at
from app.graph.names import MONTHS_AND_DAYS, is_roman_numeral

_INITIALS = re.compile(r"(?:[A-Z]\.-?)+")
_NUMBER = re.compile(r"\d{1,2}|[ivx]+")
_VOWELS = frozenset("aeiouy")
_YEAR = re.compile(r"(?:19|20)\d\d")
# Spellings of software: a capital or a digit inside, or all in capitals.
_PROGRAM_NAME = re.compile(r"\w*(?:[a-z][A-Z]|[A-Z]{3}|\w\d)\w*(?:[/-]\w+)?")
_WITHOUT_PERSON = re.compile(r".*(?:[A-Z]{2}|\d|[a-z]\.[a-z])")
_PHRASE_END_WORDS = split_into_word_set("""
    of by in that who which for at from on with to and or but as where when whose , ; . ( ) : while
    created developed written designed founded released based located owned
""")
_MAX_PHRASE_LENGTH = 9
# Nouns that denote a person, not software, after these words: "a racing driver", "a film editor".
_WORDS_BEFORE_WORKER = {
    "driver": split_into_word_set("racing race rally car bus truck taxi one kart"),
    "editor": split_into_word_set(
        "film news magazine newspaper book copy literary deputy managing senior chief"
    ),
}
# Words skipped between a name and its verb.
_WORDS_BEFORE_VERB = split_into_word_set("""
    had has have later also then first subsequently originally never still now formerly previously currently
""")
_COMPANION_PHRASES = (["and", "others"], ["and", "colleagues"])
_MAX_BRACKET_LENGTH = 30
_CUES_BY_WORD_BEFORE, _CUES_BY_WORD_AFTER = group_by_word(CUES_BEFORE_NAME), group_by_word(CUES_AFTER_NAME)
_VERBS_AFTER_NAME = frozenset(
    word
    for word, cues in _CUES_BY_WORD_AFTER.items()
    if word not in KIND_OF
    and word not in POSSESSIVES
    and word not in (",", "who")
    and all(cue.kind != "Location" for cue in cues)  # "the Harz mountains"
)
_PREPOSITIONS_WITHOUT_CLAUSE = (PREPOSITIONS | {"of"}) - {"after", "as", "than"}
"""Prepositions that do not also introduce a clause, as in "after Acme was sold"."""
_WORDS_BEFORE_NAMES = DETERMINERS | {"both"}
_MAX_DESCRIBING_WORDS = 3
_WORDS_OF_NO_NOUN = STOP_WORDS | DETERMINERS
"""Words before "of" that name nothing themselves: "one of the first databases"."""
Votes = dict[str, float]


def _add_vote(votes: Votes, kind: str, strength: float) -> None:
    votes[kind] = votes.get(kind, 0.0) + strength


def has_shape_of_person_name(sentence: Sentence, span: Span) -> bool:
    """Return whether a span is two or three capitalised words, none of which names a kind of thing."""
    words = sentence.words[span.first : span.last]
    if len(words) == 2 and _is_of_family([word.lower() for word in words]):
        return True
    return len(words) in (2, 3) and all(
        word.isalpha() and word[1:].islower() and word.lower() not in KIND_OF for word in words
    )


@lru_cache(maxsize=8_192)
def is_written_as_person(name: str) -> bool:
    """Return whether a name is two to four capitalised words, none of which names a kind of thing."""
    words = [word for word in name.split() if word[0] not in QUOTES and word[-1] not in QUOTES]
    if _is_of_family([word.lower() for word in words]):
        return True
    return 1 < len(words) <= 4 and all(
        (word[0].isupper() or word in NAME_PARTICLES)
        and word.replace("-", "").replace(".", "").replace("'", "").isalpha()
        and word.lower() not in KIND_OF
        and word.lower() not in KIND_OF_HEAD
        for word in words
    )


def _is_program_name(sentence: Sentence, span: Span) -> bool:
    return span.last - span.first == 1 and _PROGRAM_NAME.fullmatch(sentence.words[span.first]) is not None


_CHECK_BY_SHAPE: dict[Shape, Callable[[Sentence, Span], bool]] = {
    Shape.ONE_WORD: lambda _, span: span.last - span.first == 1,
    Shape.SEVERAL_WORDS: lambda _, span: span.last - span.first > 1,
    Shape.PROGRAM: _is_program_name,
    Shape.PERSON: has_shape_of_person_name,
}


def find_kind_of_noun_phrase(sentence: Sentence, first_index: int) -> str | None:
    """Return the kind that a noun phrase names: that of its last kind word, within nine words; None
    without one.
    """
    kind: str | None = None
    head_noun: str | None = None
    word_before = ""
    for word in sentence.lower[first_index : first_index + _MAX_PHRASE_LENGTH]:
        if word in _PHRASE_END_WORDS:
            # "one of the first database systems": the phrase goes on.
            if word == "of" and kind is None:
                if word_before in LEADER_NOUNS:
                    return "Person"  # "the joint chairs of the association"
                head_noun = head_noun or word_before
                word_before = word
                continue
            # "an editor at" is followed by a publisher: a person, not a program.
            if (word_before, word) == ("editor", "at"):
                return "Person"
            break
        if word == "between" and kind == "Location":
            return None  # "a bridge between two worlds"
        word_kind = KIND_OF.get(word)
        if word_kind is None and word.endswith("s"):
            word_kind = KIND_OF.get(word[:-1])
        kind = "Person" if word_before in _WORDS_BEFORE_WORKER.get(word, ()) else word_kind or kind
        word_before = word
    # "the imam of the mosque" is no house: whose place or body it is, does not say what an unknown noun is.
    is_of_unknown_noun = head_noun is not None and head_noun not in _WORDS_OF_NO_NOUN
    return None if is_of_unknown_noun and kind in PLACED_TYPES else kind


def vote_for_kind_by_name(key: str, words: list[str], lower_words: list[str]) -> Votes:
    """Return the votes for the kinds that the name alone suggests; `key` is the normalised name."""
    votes: Votes = {}
    if "," in lower_words and not NOBILITY.isdisjoint(lower_words):
        return {"Person": HEAD_STRENGTH}  # "Friedrich, Duke of Oss"
    if _begins_with_abbreviated_honorific(lower_words):
        return {"Person": HEAD_STRENGTH}  # "Dr. Hill", and no hill
    well_known_kind = _find_well_known_kind(key)
    if well_known_kind is not None:
        _add_vote(votes, well_known_kind, WELL_KNOWN_STRENGTH)
    if key in CITIES:
        _add_vote(votes, "Location", CITY_STRENGTH)
    if len(words) > 1:
        _vote_for_kind_by_head(lower_words, votes)
    _vote_for_person_by_name(key, words, lower_words, votes)
    _vote_for_kind_by_spelling(words, lower_words, votes)
    return votes


def _find_well_known_kind(key: str) -> str | None:
    return next((kind for known_names, kind in KIND_OF_WELL_KNOWN_NAMES if key in known_names), None)


def list_head_words(lower_words: list[str]) -> list[str]:
    """Return the words of a name that may state its kind, the likeliest first: at most two if it has an
    "of".
    """
    # A trailing Roman numeral is skipped: "World War II" is a war.
    is_numbered = len(lower_words) > 2 and is_roman_numeral(lower_words[-1])
    last_word = lower_words[-2] if is_numbered else lower_words[-1].rstrip(".")
    of_index = lower_words.index("of") if "of" in lower_words[1:] else 0
    head_words = [lower_words[of_index - 1], lower_words[0], last_word] if of_index else [last_word]
    if len(lower_words) > 2 and not of_index and _NUMBER.fullmatch(last_word):
        # The kind word precedes the number.
        head_words = [last_word, lower_words[-2]]
    # "Episcopal Church in the United States", "Network for Open Data"
    preposition_index = next(
        (index for index, word in enumerate(lower_words[:-1]) if index and word in ("for", "in", "on")), 0
    )
    if preposition_index:
        head_words.insert(0, lower_words[preposition_index - 1])
    head_words = [word for word in head_words if word]
    return head_words[:2] if of_index else head_words


def _is_of_family(lower_words: list[str]) -> bool:
    """Return whether a name is a first name and a surname that is also a word for a place: "Helen Park"."""
    if len(lower_words) != 2 or lower_words[1] not in PLACE_SURNAMES:
        return False
    return (lower_words[0] in GIVEN_NAMES or lower_words[0] in FIRST_NAMES) and lower_words[
        0
    ] not in NAMES_OF_PLACES


def _begins_with_abbreviated_honorific(lower_words: list[str]) -> bool:
    """Return whether a name begins with an honorific that is no word, such as "Dr." or "Mrs"."""
    title, mark, rest = lower_words[0].partition(".")
    if mark and rest[:1].isalpha():
        return title in HONORIFICS  # "Ms.Hwi-Rin Kim"
    return (
        len(lower_words) > 1
        and title in HONORIFICS
        and (lower_words[0].endswith(".") or _VOWELS.isdisjoint(title))
        and lower_words[1] not in FIRM_WORDS_AFTER_HONORIFIC
    )


def _vote_for_kind_by_head(lower_words: list[str], votes: Votes) -> None:
    if _is_of_family(lower_words):
        # Weak evidence suffices to make "Helen Park" a park.
        _add_vote(votes, "Location", MIN_VOTES)
        _add_vote(votes, "Person", MIN_VOTES + 0.1)
        return
    heads_with_kind = (
        (word, KIND_OF_HEAD.get(word) or KIND_OF.get(word)) for word in list_head_words(lower_words)
    )
    head_word, kind = next(
        ((word, kind) for word, kind in heads_with_kind if kind not in NON_VOTING_KINDS), ("", None)
    )
    if kind is not None:
        _add_vote(votes, kind, HOUSE_STRENGTH if head_word in BUILDING_NOUNS else HEAD_STRENGTH)
    else:
        for first_words, kind_of_opening, strength in FIRST_WORDS_OF_KINDS:
            if lower_words[0] in first_words:
                _add_vote(votes, kind_of_opening, strength)
    last_word = lower_words[-1].rstrip(".")
    if _YEAR.fullmatch(last_word):
        _add_vote(votes, "Event", 2.0)
    elif last_word.isdigit() and kind is None:
        # "Python 3" is a version, "Paris 8" may be a count.
        known_kinds = map(_find_well_known_kind, (" ".join(lower_words[:-1]), lower_words[-2]))
        is_version = not PROGRAMS.isdisjoint(known_kinds)
        _add_vote(votes, "Product", 2.0 if is_version else 0.5)


def _vote_for_person_by_name(key: str, words: list[str], lower_words: list[str], votes: Votes) -> None:
    if len(words) == 1:
        if key in GIVEN_NAMES:
            _add_vote(votes, "Person", 1.5)
        return
    if votes:
        return
    words, _ = split_nickname(words)
    if lower_words[0] in CLUB_INITIALS:
        _add_vote(votes, "Organization", 3.0)
    elif lower_words[0].rstrip(".") in HONORIFICS and lower_words[1] not in FIRM_WORDS_AFTER_HONORIFIC:
        _add_vote(votes, "Person", 3.0)
    elif len(words) <= 5 and all(word[0].isalpha() for word in words):
        has_initials = len(words[-1]) > 2 and any(_INITIALS.fullmatch(word) for word in words[:-1])
        if lower_words[0] in GIVEN_NAMES or lower_words[0] in FIRST_NAMES or has_initials:
            _add_vote(votes, "Person", 3.0)


def _vote_for_kind_by_spelling(words: list[str], lower_words: list[str], votes: Votes) -> None:
    if len(words) == 1 and _PROGRAM_NAME.fullmatch(words[0]):
        _add_vote(votes, "Technology", 0.5)
    if sum(votes.values()) > 0.5:
        return
    if words[-1].endswith(("DB", "SQL")) and len(words[-1]) > 3:
        _add_vote(votes, "Technology", 1.5)
    elif len(words) > 1 and lower_words[0] == "apache":
        _add_vote(votes, "Technology", 2.0)
    elif len(words) > 1 and lower_words[0] in COMPANIES and lower_words[-1].rstrip(".") not in KIND_OF:
        _add_vote(votes, "Product", 1.5)


def has_legal_form(lower_words: list[str]) -> bool:
    """Return whether a name ends with a legal form ("Ltd"), which excludes a person; "Co" does not count,
    as it is a surname too.
    """
    return len(lower_words) > 1 and lower_words[-1] != "co" and lower_words[-1].rstrip(".") in LEGAL_TAILS


def cannot_be_person(words: list[str]) -> bool:
    """Return whether the spelling excludes a person's name: one word with "DB" or a digit in it."""
    return len(words) == 1 and _WITHOUT_PERSON.match(words[0]) is not None


def vote_for_kind_by_context(sentence: Sentence, span: Span, votes: Votes) -> None:
    """Add votes for the kinds that the words before and after the name suggest."""
    lower_words, word_count = sentence.lower, len(sentence.lower)
    first_word = span.first
    word_before = word_at(lower_words, first_word - 1)
    cues = _CUES_BY_WORD_BEFORE.get(word_before.rstrip("."))
    if cues is not None:
        _add_vote_of_first_matching_cue(
            cues, sentence, span, word_at(lower_words, first_word - 2), "", word_count, votes
        )
    index = _find_word_after_name_and_vote_by_bracket(sentence, span, votes)
    if index < word_count:
        cues = _CUES_BY_WORD_AFTER.get(lower_words[index])
        if cues is not None and not (
            lower_words[index] in _VERBS_AFTER_NAME and _is_in_prepositional_phrase(sentence, span)
        ):
            _add_vote_of_first_matching_cue(
                cues, sentence, span, word_at(lower_words, index + 1), word_before, index + 2, votes
            )


def _is_in_prepositional_phrase(sentence: Sentence, span: Span) -> bool:
    """Return whether a name belongs to a preposition, so that no verb after it is its: "the CEO of Acme is a
    lawyer", "talks between Acme and Zeta were a success".
    """
    lower_words = sentence.lower
    index = span.first - 1
    if word_at(lower_words, index) in ("and", "or"):
        while index >= 0 and (lower_words[index] in ("and", "or", ",") or sentence.words[index][0].isupper()):
            index -= 1
    index -= word_at(lower_words, index) in _WORDS_BEFORE_NAMES
    if word_at(lower_words, index) in _PREPOSITIONS_WITHOUT_CLAUSE:
        return True
    # "the head of software maker Acme"; after other prepositions it may be over: "in the spring Acme".
    last_index = index - _MAX_DESCRIBING_WORDS
    while index > last_index and _may_describe_next_name(sentence, index):
        index -= 1
    index -= word_at(lower_words, index) in _WORDS_BEFORE_NAMES
    return word_at(lower_words, index) == "of"


def _may_describe_next_name(sentence: Sentence, index: int) -> bool:
    """Return whether a word may be a noun or adjective before a name: "software", "giant"."""
    word = word_at(sentence.words, index)
    return word.isalpha() and word.islower() and word not in STOP_WORDS and word not in SUBJECT_VERBS


def is_name_in_address(sentence: Sentence, span: Span, next_span: Span, *, continues_address: bool) -> bool:
    """Return whether a name is between a word such as "in" and a comma followed by another name.

    `continues_address`: the name before it is in an address with it, "in Austin, Texas, USA".
    """
    lower_words, index_before = sentence.lower, span.first - 1
    if lower_words[span.last : next_span.first] != [","]:
        return False
    if index_before > 0 and lower_words[index_before] == "the":
        index_before -= 1
    return index_before >= 0 and (
        lower_words[index_before] in PLACE_PREPOSITIONS
        or lower_words[index_before] in ("(", "of", "on")
        or (lower_words[index_before] == "," and continues_address)
    )


def _add_vote_of_first_matching_cue(
    cues: tuple[KindCue, ...],
    sentence: Sentence,
    span: Span,
    farther_word: str,
    opposite_word: str,
    phrase_start: int,
    votes: Votes,
) -> None:
    """Add the vote of the first matching row; `phrase_start` is the index at which the noun phrase would
    begin.
    """
    for cue in cues:
        if (
            (cue.farther_words is None or farther_word in cue.farther_words)
            and (cue.opposite_words is None or opposite_word in cue.opposite_words)
            and (cue.shape is None or _CHECK_BY_SHAPE[cue.shape](sentence, span))
        ):
            kind = cue.kind or find_kind_of_noun_phrase(sentence, phrase_start)
            if kind == "Person" and has_legal_form(sentence.lower[span.first : span.last]):
                return  # "Acme Inc. is a leading producer of saws"
            if kind is not None:
                _add_vote(votes, kind, cue.strength)
            return


def _is_life_span(bracket_words: list[str]) -> bool:
    """Return whether a bracket contains two dates with days: "(December 31, 1918 – May 23, 2007)"."""
    has_two_days = sum(word in MONTHS_AND_DAYS for word in bracket_words) == 2
    return has_two_days and sum(len(word) == 4 and word.isdigit() for word in bracket_words) == 2


def _find_word_after_name_and_vote_by_bracket(sentence: Sentence, span: Span, votes: Votes) -> int:
    """Return the index of the word after a name that may state its kind, skipping brackets, companions and
    adverbs.

    Adds votes for a person if a bracket mentions a birth.
    """
    lower_words, word_count = sentence.lower, len(sentence.lower)
    index = span.last
    if index < word_count and lower_words[index] == "(":
        closing_index = index + 1
        while (
            closing_index < word_count
            and closing_index - index < _MAX_BRACKET_LENGTH
            and lower_words[closing_index] != ")"
        ):
            closing_index += 1
        if (
            index + 1 < word_count
            and lower_words[index + 1] in PERSONAL_OFFICES
            and lower_words[index + 2 : index + 3] != ["of"]
        ):
            _add_vote(votes, "Person", BIRTH_STRENGTH)  # "Ann Lee (CEO 2010–2016)"
        elif (index + 1 < word_count and lower_words[index + 1] in BIRTH_WORDS) or "born" in lower_words[
            index:closing_index
        ]:
            _add_vote(votes, "Person", BIRTH_STRENGTH)
        elif _is_life_span(lower_words[index:closing_index]):
            _add_vote(votes, "Person", MIN_VOTES)
        index = closing_index + 1
    if index + 2 < word_count and lower_words[index : index + 2] in _COMPANION_PHRASES:
        index += 2
    if index + 1 < word_count and lower_words[index] in _WORDS_BEFORE_VERB:
        index += 1
    return index


class KindDecision(NamedTuple):
    """The kind of a name, and whether it was inferred from the text."""

    kind: str
    is_certain: bool


def decide_kind(votes: Votes) -> KindDecision:
    """Return the kind with most votes, and whether it was inferred from the text; else the default
    ("Concept", False).
    """
    if not votes:
        return KindDecision("Concept", False)
    kind = min(votes, key=lambda name: (-votes[name], name))
    return KindDecision(kind, True) if votes[kind] >= MIN_VOTES else KindDecision("Concept", False)
