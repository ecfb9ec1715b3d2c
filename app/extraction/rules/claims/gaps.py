"""Normalisation of the words between two names: removal of positions, offices and second roles."""

from functools import lru_cache

from app.extraction.rules.claims.units import PLURAL_VERBS, Unit, is_verb
from app.extraction.rules.english.cast_and_team_words import GAME_VERBS, TITLE_PARTICIPLES, WORK_PARTS
from app.extraction.rules.english.date_patterns import (
    FREQUENCY_ADVERBS,
    MONTHS,
    WORDS_BEFORE_DATE,
    WORDS_IN_DATES,
)
from app.extraction.rules.english.grammar import (
    ADVERBS,
    BE,
    CURRENT_ACTIVITIES,
    DETERMINERS,
    EMPLOYMENT_ADVERBS,
    POSSESSIVES,
    PREPOSITIONS,
)
from app.extraction.rules.english.lexicon import KIND_OF
from app.extraction.rules.english.phrase_patterns import PATTERNS_BY_FIRST_WORD, PHRASE_OPENING_NOUNS
from app.extraction.rules.names.quoted import QUOTES
from app.extraction.rules.sentences import Sentence
from app.extraction.rules.tokens import word_at

# Maximum number of words between an owner and the name that it owns, and of a player's position.
_MAX_POSSESSION_WORDS, _MAX_POSITION_WORDS = 5, 6
_EMPHATIC_AUXILIARIES = frozenset(("do", "does", "did"))
_EMPHATIC_ADVERBS = frozenset(
    ("indeed", "in", "fact", "really", "still", "also", "actually", "once", "however", ",")
)
_VAGUE_TIME_WORDS = frozenset(("early", "late", "mid", "the", "end", "beginning", "of"))
_POST_NOUNS = frozenset(("posts", "offices", "positions", "jobs", "roles", "titles", "functions"))
_OFFICE_VERBS = frozenset(("holds", "has", "held", "had", "combines", "fills"))
_YEAR_DIGITS = 4
# Minimum and maximum length of a partitive: "one of its stars,".
_MIN_PARTITIVE_LENGTH, _MAX_PARTITIVE_LENGTH = 5, 8


@lru_cache(maxsize=4_096)
def conjugate_bare_verb(word: str) -> str:
    """Return the table's form of a bare verb or a participle: "uses" for "use" and "supporting"."""
    stem = word[:-3] if word.endswith("ing") else word
    forms = (f"{word}s", f"{word}es", word, f"{stem}s", f"{stem}es", f"{stem}ed")
    return next((form for form in forms if form in PATTERNS_BY_FIRST_WORD), word)


def _remove_emphatic_did(gap: list[str]) -> list[str]:
    """Return the gap without an emphatic "did": "works for" for "did in fact work for"."""
    emphasis_index = next((index for index, word in enumerate(gap) if word in _EMPHATIC_AUXILIARIES), -1)
    verb_index = next(
        (index for index in range(emphasis_index + 1, len(gap)) if gap[index] not in _EMPHATIC_ADVERBS),
        len(gap),
    )
    if (
        emphasis_index < 0
        or verb_index == len(gap)
        or conjugate_bare_verb(gap[verb_index]) == gap[verb_index]
    ):
        return gap
    return [*gap[:emphasis_index], conjugate_bare_verb(gap[verb_index]), *gap[verb_index + 1 :]]


def _remove_progressive(gap: list[str]) -> list[str]:
    """Return the gap with a simple form for a progressive one: "uses" for "is now using"."""
    participle_index = next((index for index in range(1, len(gap)) if gap[index] in CURRENT_ACTIVITIES), 0)
    be_index = participle_index - 1
    while be_index > 0 and gap[be_index] in ADVERBS and gap[be_index] not in BE:
        be_index -= 1
    if participle_index == 0 or gap[be_index] not in BE:
        return gap
    stem = gap[participle_index].removesuffix("ing")
    verb = next((form for form in (f"{stem}s", f"{stem}es") if form in PATTERNS_BY_FIRST_WORD), None)
    return gap if verb is None else [*gap[:be_index], verb, *gap[participle_index + 1 :]]


def conjugate_gap(gap: list[str], *, is_plural: bool = False) -> list[str]:
    """Return the gap with its verb in the table's form; `is_plural`: after several names, "they live"."""
    verb_index = (
        next((index for index, word in enumerate(gap) if word not in ADVERBS), 0) if is_plural else len(gap)
    )
    if verb_index < len(gap) and gap[verb_index] in PLURAL_VERBS:
        gap = [*gap[:verb_index], conjugate_bare_verb(gap[verb_index]), *gap[verb_index + 1 :]]
    return _remove_progressive(_remove_emphatic_did([word for word in gap if word not in EMPLOYMENT_ADVERBS]))


def remove_end_date(gap: list[str]) -> list[str]:
    """Return the gap without the end date of the previous claim: ", now leads" for "until 2016, now
    leads".
    """
    if gap[:1] not in (["until"], ["till"]):
        return gap
    index = 1
    while index < len(gap) and (
        gap[index].isdigit() or gap[index] in MONTHS or gap[index] in _VAGUE_TIME_WORDS
    ):
        index += 1
    return gap[index:] if index > 1 and gap[index : index + 1] == [","] else gap


def remove_number_of_posts(gap: list[str]) -> list[str]:
    """Return the gap without a number of posts: "is head of" for "holds two posts: head of"."""
    colon_index = next(
        (index for index in range(2, len(gap) - 1) if gap[index] == ":" and gap[index - 1] in _POST_NOUNS), 0
    )
    return ["is", *gap[colon_index + 1 :]] if colon_index and gap[0] in _OFFICE_VERBS else gap


def remove_position_of_player(gap: list[str]) -> list[str]:
    """Return the gap without the position of a player: "plays for" for "plays as a midfielder for"."""
    verb_index = next((index for index, word in enumerate(gap) if word in GAME_VERBS), None)
    if (
        verb_index is None
        or gap[verb_index + 1 : verb_index + 2] != ["as"]
        or "for" not in gap[verb_index + 2 : verb_index + 2 + _MAX_POSITION_WORDS]
    ):
        return gap
    return [*gap[: verb_index + 1], *gap[gap.index("for", verb_index + 2) :]]


def remove_comma_before_title(gap: list[str]) -> list[str]:
    """Return the gap without the comma of 'edited the art journal, "Revue du Soir"', which joins kind and
    name.
    """
    if len(gap) > 2 and gap[-1] in QUOTES and gap[-2] == "," and gap[-3] in KIND_OF:
        return [*gap[:-2], gap[-1]]
    return gap


def remove_partitive(gap: list[str]) -> list[str]:
    """Return the gap without a partitive phrase: "produced by" for "produced by one of its stars,"."""
    if len(gap) < _MIN_PARTITIVE_LENGTH or gap[-1] != ",":
        return gap
    for index in range(len(gap) - _MIN_PARTITIVE_LENGTH, max(-1, len(gap) - _MAX_PARTITIVE_LENGTH), -1):
        if (
            gap[index : index + 2] == ["one", "of"]
            and gap[index + 2] in DETERMINERS
            and "," not in gap[index:-1]
        ):
            return gap[:index]
    return gap


def remove_dates(gap: list[str]) -> list[str]:
    """Return the gap without dates and frequencies: "worked for" for "worked from 1929 to 1930 for"; [] if
    nothing is removed.
    """
    undated_words: list[str] = []
    index = 0
    while index < len(gap):
        date_end = index + 1 if gap[index] in WORDS_BEFORE_DATE else index
        while date_end < len(gap) and (gap[date_end].isdigit() or gap[date_end] in WORDS_IN_DATES):
            date_end += 1
        if any(
            word.isdigit() and len(word) == _YEAR_DIGITS for word in gap[index:date_end]
        ) and date_end < len(gap):
            index = date_end
            continue
        if gap[index] in FREQUENCY_ADVERBS or gap[index + 1 : index + 2] == ["times"]:
            index += 1 + (gap[index + 1 : index + 2] == ["times"])
            continue
        undated_words.append(gap[index])
        index += 1
    return undated_words if len(undated_words) < len(gap) else []


def find_owned_name(sentence: Sentence, units: list[Unit], index: int) -> Unit | None:
    """Return the name that the second of two adjacent names owns, or None: "appeared in Waters' film
    Desperate Living".
    """
    if index + 2 >= len(units):
        return None
    words_between = sentence.lower[units[index + 1].last : units[index + 2].first]
    if (
        not words_between
        and units[index + 2].kind == "Person"
        and remove_trailing_articles(sentence.lower[: units[index + 1].first])[-1:] == ["of"]
    ):
        return units[index + 2]  # "married to Governor of Ohio Bob Ray"
    if not 0 < len(words_between) <= _MAX_POSSESSION_WORDS or (
        len(words_between) == 1 and words_between[0] not in ("'s", "’s")
    ):
        return None
    if words_between[0] not in POSSESSIVES and not _is_owner_of_work(
        sentence, units[index + 1], words_between
    ):
        return None
    is_noun_phrase = all(
        word in QUOTES or (word[0].isalnum() and word not in PREPOSITIONS) for word in words_between[1:]
    )
    # "the animated series": a participle before a noun is not a verb.
    has_finite_verb = any(is_verb(word) and not word.endswith("ed") for word in words_between[1:])
    return units[index + 2] if is_noun_phrase and not has_finite_verb else None


def find_titled_name(sentence: Sentence, units: list[Unit], index: int) -> Unit | None:
    """Return the title that identifies one of several things, or None: 'an episode of Heat, entitled "The
    Pact"'.
    """
    if index + 1 >= len(units):
        return None
    gap = sentence.lower[units[index].last : units[index + 1].first]
    words = [word for word in gap if word not in QUOTES]
    if not words or words[-1] not in TITLE_PARTICIPLES or len(words) > _MAX_POSSESSION_WORDS:
        return None
    is_noun_phrase = all(word == "," or (word.isalpha() and word not in PREPOSITIONS) for word in words[:-1])
    return units[index + 1] if is_noun_phrase and not any(map(is_verb, words[:-1])) else None


def remove_piece_before_title(gap: list[str]) -> list[str]:
    """Return the gap without the part that a title names: "debuting in" for "debuting in an episode of the
    show".
    """
    preposition_index = next(
        (index for index in range(1, len(gap)) if gap[index] == "of" and gap[index - 1] in WORK_PARTS), 0
    )
    return remove_trailing_office(gap[: preposition_index + 1]) if preposition_index else gap


def _is_owner_of_work(sentence: Sentence, unit: Unit, words_between: list[str]) -> bool:
    """Return whether a name only states the owner of a work: "NBC" of 'the NBC sitcom "Seinfeld"'."""
    is_title = words_between[-1] in QUOTES and KIND_OF.get(words_between[-2]) == "Document"
    return is_title and unit.kind != "Document" and word_at(sentence.lower, unit.first - 1) in DETERMINERS


def remove_trailing_articles(gap: list[str]) -> list[str]:
    """Return the gap without articles at its end."""
    end = len(gap)
    while end > 0 and gap[end - 1] in DETERMINERS:
        end -= 1
    return gap[:end]


def remove_trailing_office(gap: list[str]) -> list[str]:
    """Return the gap without an office at its end: "married to" for "married to the governor of"."""
    end = len(gap) - 2
    while end > 0 and gap[end - 1] in DETERMINERS:
        end -= 1
    return gap[:end]


def remove_second_role(gap: list[str], second_role_start: int) -> list[str]:
    """Return the gap of the first of two roles, "the founder of" for "the founder and head of"; [] without
    two roles.
    """
    conjunction_index = second_role_start - 1
    while conjunction_index > 0 and gap[conjunction_index] in DETERMINERS:
        conjunction_index -= 1
    if (
        conjunction_index < 1
        or gap[conjunction_index] != "and"
        or gap[conjunction_index - 1] not in PHRASE_OPENING_NOUNS
        or "of" not in gap[second_role_start:]
    ):
        return []
    return [*gap[:conjunction_index], *gap[gap.index("of", second_role_start) :]]
