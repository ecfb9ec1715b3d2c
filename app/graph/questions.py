"""Extract names and verbs from a question that the graph may know; pure, so that it needs no database."""

import calendar
import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from itertools import islice, pairwise, product, zip_longest
from typing import NamedTuple

from app.documents.language import LANGUAGES_CAPITALISING_NOUNS, guess_language
from app.domain.char_range import CharRange
from app.domain.scoring.stop_words import PRONOUNS, STOP_WORDS
from app.graph.name_forms import (
    classify_script,
    does_language_append_to_names,
    is_interrogative,
    list_possible_base_forms,
    list_ranges_of_spaced_words,
    may_name_begin_at,
    may_name_end_at,
)
from app.graph.names import (
    MONTHS_AND_DAYS,
    WORDS_BESIDE_NAMES,
    normalise_name,
    normalise_names,
    normalise_possible_names,
)
from app.graph.text_folding import fold_text

MAX_NAME_WORDS, MAX_NAME_UNITS = 8, 24
"""Maximum number of words of a name, and of characters or syllables of one in an unspaced script."""
MAX_INFLECTED_WORDS, MAX_COMBINATIONS, MAX_INFLECTED_NAMES = 4, 100, 2_000
"""Maximum number of words of an inflected name, of combinations of their forms, and of such names
in total.
"""
# Includes punctuation of other scripts, but not the dot between the parts of a name.
_WORD = re.compile(r"[^\s/,;:()\[\]{}\"“”«»?!¿¡。、，；：（）？！「」『』《》〈〉【】〔〕…‥؟،؛۔।॥。｢｣､]+")
_POSSESSIVE = re.compile(r"['’]s?$")
_NAME_PARTICLES = frozenset(
    {"of", "the", "de", "la", "von", "van", "der", "del", "di", "da", "du", "le", "al", "&"}
)
_YES_NO_QUESTION = re.compile(
    r"\s*(?:do|does|did|is|are|was|were|has|have|had|can|could|will)(?:n['’]t)?\s", re.IGNORECASE
)
_YEAR_IN_QUESTION = re.compile(
    r"\b(?:in|during|throughout|at the (?:end|beginning) of) ((?:1[5-9]|20)\d\d)\b"
)
_FOUR_DIGITS = re.compile(r"(?<![\w.,])(?:1\d|20)\d\d(?!\w|[.,]\d)")
# In Chinese and Japanese the word for a year stands behind its number.
_YEAR_BEFORE_ITS_WORD = re.compile(r"(?<![0-9A-Za-z_.,])(?:1\d|20)\d\d(?=\s?年)")
# "2019", "2001-02", and the part of a year before one: "Q3".
_YEAR = re.compile(r"(?:1\d|20)\d\d(?:[-–/](?:\d\d){1,2})?")
_QUARTER = re.compile(r"[A-Z][1-9]")
IN_PARENTHESES = re.compile(r"\([^()]*\)|（[^（）]*）")
"""Text in parentheses, with them."""
_LEGAL_FORMS = frozenset({"inc", "corp", "co", "ltd", "llc", "plc", "gmbh", "ag"})
_DATE_WORDS = MONTHS_AND_DAYS | {abbreviation.lower() for abbreviation in calendar.month_abbr[1:]}
_LETTERS = re.compile(r"[^\W\d_]+")
VERB_PREPOSITIONS = frozenset({"on", "with", "of", "for", "in", "to", "by", "at", "from"})
"""Prepositions that belong to a verb: "reports to", "works for"."""


@dataclass(frozen=True, slots=True)
class Mention:
    """Words of a question that may be a name, and their range."""

    normalised_name: str
    surface: str
    start: int
    end: int


def list_word_runs_that_may_name_nodes(question: str) -> list[Mention]:
    """Return every run of words, or of characters in an unspaced script, that could name a node; longest
    first.

    A run begins and ends where a name may occur by the rules of its script (app/graph/name_forms.py).
    """
    word_ranges = _list_word_ranges(question)
    name_starts = [
        (start, word_index)
        for word_index, word_range in enumerate(word_ranges)
        for start in _list_name_start_positions(question, *word_range)
    ]
    name_ends = [
        (end, word_index)
        for word_index, word_range in enumerate(word_ranges)
        for end in _list_name_end_positions(question, *word_range)
    ]
    runs = []
    for start, first_word_index in name_starts:
        first_end_index = bisect_right(name_ends, (start, len(word_ranges)))
        for unit_count, (end, last_word_index) in enumerate(
            name_ends[first_end_index : first_end_index + MAX_NAME_UNITS]
        ):
            if last_word_index - first_word_index >= MAX_NAME_WORDS:
                break
            if _may_name_stand_at(question, start, end):
                runs.append((first_word_index - last_word_index, -unit_count, start, end))
    runs.sort()
    surfaces = [question[start:end] for _, _, start, end in runs]
    return [
        Mention(normalised_name, _POSSESSIVE.sub("", surface.strip(".")), start, end)
        for (_, _, start, end), surface, normalised_name in zip(
            runs, surfaces, normalise_possible_names(surfaces), strict=True
        )
        if normalised_name is not None
    ]


def list_word_runs_that_may_inflect_names(question: str) -> list[Mention]:
    """Return every run of words that may be forms of a name, normalised as that name; shortest first.

    There are none in English: words of Latin script depend on the language, others on their script.
    """
    folded_question = fold_text(question)
    words = _list_inflected_words(folded_question.text, question)
    mentions: dict[tuple[str, int, int], Mention] = {}
    for word_count in range(1, min(MAX_INFLECTED_WORDS, len(words)) + 1):
        for first_word_index in range(len(words) - word_count + 1):
            run = words[first_word_index : first_word_index + word_count]
            if all(len(word.forms) == 1 for word in run):
                continue
            gaps = [folded_question.text[word.end : next_word.start] for word, next_word in pairwise(run)]
            start, end = folded_question.starts[run[0].start], folded_question.ends[run[-1].end - 1]
            combinations = islice(product(*(word.forms for word in run)), 1, MAX_COMBINATIONS)
            names = ["".join(map("".join, zip_longest(forms, gaps, fillvalue=""))) for forms in combinations]
            for name in filter(None, normalise_possible_names(names)):
                mentions.setdefault((name, start, end), Mention(name, question[start:end], start, end))
    return list(mentions.values())[:MAX_INFLECTED_NAMES]


@dataclass(frozen=True, slots=True)
class _InflectedWord:
    """A word of a folded question with its range; `forms` are the word itself and what it may be a
    form of.
    """

    start: int
    end: int
    forms: tuple[str, ...]


def _list_inflected_words(folded_text: str, question: str) -> list[_InflectedWord]:
    ranges = list_ranges_of_spaced_words(folded_text)
    is_latin = any(
        end - start > 2 and classify_script(folded_text[start]) == "Latin" for start, end in ranges
    )
    language = guess_language(question) if is_latin else None
    words: list[_InflectedWord] = []
    for start, end in ranges:
        word = folded_text[start:end]
        if (
            words
            and folded_text[words[-1].end : start] in ("'", "-", ":")
            and does_language_append_to_names(word, language)
        ):
            # "Ankara'da", "MOL-t": the ending belongs to the previous word.
            last_word = words.pop()
            words.append(
                _InflectedWord(last_word.start, end, (folded_text[last_word.start : end], last_word.forms[0]))
            )
        else:
            words.append(
                _InflectedWord(start, end, (word, *sorted(list_possible_base_forms(word, language))))
            )
    return words


def list_words_that_may_name_nodes(question: str) -> list[str]:
    """Return the single words of a question that could name a node."""
    words = [question[start:end].strip(".") for start, end in _list_word_ranges(question)]
    return [
        word
        for word, normalised_name in zip(words, normalise_possible_names(words), strict=True)
        if normalised_name is not None
    ]


def _list_word_ranges(question: str) -> list[CharRange]:
    """Return the ranges between white space and punctuation."""
    return [match.span() for match in _WORD.finditer(question)]


def _list_name_start_positions(question: str, start: int, end: int) -> list[int]:
    """Return the positions in a word of the question where a name may begin."""
    inner_positions = () if question[start:end].isascii() else range(start + 1, end)
    return [
        start,
        *(
            position
            for position in inner_positions
            if _is_inside_word(question, position) and may_name_begin_at(question, position, end)
        ),
    ]


def _list_name_end_positions(question: str, word_start: int, word_end: int) -> list[int]:
    """Return the positions in a word of the question where a name may end."""
    inner_positions = () if question[word_start:word_end].isascii() else range(word_start + 1, word_end)
    return [
        *(
            position
            for position in inner_positions
            if _is_inside_word(question, position) and may_name_end_at(question, word_start, position)
        ),
        word_end,
    ]


def _is_inside_word(question: str, position: int) -> bool:
    """Return whether letters are on both sides; a hyphen or apostrophe does not divide a name in a
    question.
    """
    return classify_script(question[position - 1]) != "" and classify_script(question[position]) != ""


def _may_name_stand_at(question: str, start: int, end: int) -> bool:
    return may_name_begin_at(question, start, end) and may_name_end_at(question, start, end)


def choose_known_nonoverlapping_mentions(
    mentions: Iterable[Mention], known_names: frozenset[str]
) -> list[Mention]:
    """Return the mentions with a known name, in reading order; of overlapping ones the first given
    is kept.
    """
    covered_positions: set[int] = set()
    chosen_mentions = []
    for mention in mentions:
        positions = range(mention.start, mention.end)
        if mention.normalised_name in known_names and covered_positions.isdisjoint(positions):
            covered_positions.update(positions)
            chosen_mentions.append(mention)
    return sorted(chosen_mentions, key=lambda mention: mention.start)


def find_capitalised_names_in_question(question: str) -> list[Mention]:
    """Return the names that a question capitalises, in reading order; adjacent words are one name.

    Small words within a name belong to it ("Diocese of Fredericton"), a year after it does not ("Spring
    2019"). A lone word that begins the question, and words that name nothing ("The", "1973", "Dec 1963", "Q3
    2021", "Clemson-class"), are not names. In a language that capitalises all nouns (`capitalises_nouns`)
    each word is a name of its own, because adjacent ones are as often two entities.
    """
    return list(_find_capitalised_names_cached(question))


@lru_cache(maxsize=2_048)
def _find_capitalised_names_cached(question: str) -> tuple[Mention, ...]:
    """Implement `find_capitalised_names_in_question`; cached because one answer needs those of a text several
    times.
    """
    word_matches = list(_WORD.finditer(question))
    runs = list(_find_capitalised_runs(question, word_matches))
    if runs and capitalises_nouns(question):
        return tuple(
            _build_mention_from_range(question, word_match.start(), word_match.end())
            for word_match in word_matches[1:]
            if word_match[0][0].isupper()
        )
    mentions = []
    for run in runs:
        first_index, last_index = run
        last_index = (
            first_index
            + _count_words_without_suffixes(
                [word_match[0] for word_match in word_matches[first_index : last_index + 1]]
            )
            - 1
        )
        if first_index == 0 and (
            last_index == 0 or _is_function_word(word_matches[0][0]) or is_interrogative(word_matches[0][0])
        ):
            first_index += 1
        if (
            first_index < last_index
            and _may_be_office_abbreviation(word_matches[first_index][0])
            and word_matches[first_index + 1][0] in _NAME_PARTICLES
        ):
            first_index += 2  # "CEO of Acme"
        while first_index <= last_index and (
            word_matches[first_index][0] in _NAME_PARTICLES
            or not any(map(str.isalpha, word_matches[first_index][0]))
        ):
            first_index += 1
        if not all(
            _is_function_word(word_matches[index][0]) or _is_hyphen_compound(word_matches[index][0])
            for index in range(first_index, last_index + 1)
        ):
            mentions.append(
                _build_mention_from_range(
                    question, word_matches[first_index].start(), word_matches[last_index].end()
                )
            )
    return tuple(mentions)


def remove_parenthesised_qualifiers(mentions: Sequence[Mention], question: str) -> list[Mention]:
    """Return the mentions without those in parentheses behind another one: "Levity (Film)" is one name."""
    qualifier_ranges = [
        match.span()
        for match in IN_PARENTHESES.finditer(question)
        if any(
            mention.end <= match.start() and not question[mention.end : match.start()].strip()
            for mention in mentions
        )
    ]
    return [
        mention
        for mention in mentions
        if not any(start <= mention.start and mention.end <= end for start, end in qualifier_ranges)
    ]


def _count_words_without_suffixes(words: Sequence[str]) -> int:
    """Return the number of words of a run without small words, a year and a part of one ("Q3") at its end."""
    word_count = len(words)
    while word_count > 1 and (
        words[word_count - 1].casefold() in _NAME_PARTICLES or _YEAR.fullmatch(words[word_count - 1])
    ):
        word_count -= 1
    if _QUARTER.fullmatch(words[word_count - 1]) and any(map(_YEAR.fullmatch, words[word_count:])):
        word_count -= 1
    return word_count


def are_only_titles_or_descriptions(text: str) -> bool:
    """Return whether words before a name only describe it: titles, offices, "Sydney-based"."""
    return all(word in _NAME_PARTICLES or _is_title_or_description(word) for word in _WORD.findall(text))


def _is_title_or_description(word: str) -> bool:
    return _is_hyphen_compound(word) or normalise_name(word).strip(".") in WORDS_BESIDE_NAMES


def strip_titles(mention: Mention) -> Mention:
    """Return the name without leading titles ("Senator Pettus"): a text may use another one or none."""
    words = mention.surface.split()
    while len(words) > 1 and _is_title_or_description(words[0]) and words[1] not in _NAME_PARTICLES:
        words = words[1:]
    surface = " ".join(words)
    return Mention(normalise_name(surface), surface, mention.start, mention.end)


def does_name_continue_after(text: str) -> bool:
    """Return whether the last of these words is followed by the rest of a name: "Bank of"."""
    return not _NAME_PARTICLES.isdisjoint(text.split()[-1:])


def _is_hyphen_compound(word: str) -> bool:
    """Return whether the word is a hyphenated compound with a lower-case suffix: "Clemson-class"."""
    text_before_hyphen, hyphen, suffix = word.partition("-")
    return bool(hyphen) and text_before_hyphen.isalpha() and suffix.isalpha() and suffix.islower()


def capitalises_nouns(question: str) -> bool:
    """Return whether the question's language capitalises all nouns, not only names."""
    return guess_language(question) in LANGUAGES_CAPITALISING_NOUNS


def _may_be_office_abbreviation(word: str) -> bool:
    """Return whether a word may abbreviate an office: "CEO"."""
    return word.isupper() and word.isalpha() and len(word) in (2, 3)


def is_yes_no_question(question: str) -> bool:
    """Return whether the question can be answered with yes or no."""
    return _YES_NO_QUESTION.match(question) is not None


def get_moment_or_start_of_year_asked_about(question: str, *, moment: datetime | None) -> datetime | None:
    """Return `moment`, or if it is None the beginning of the year that the question names: "in 2017"."""
    if moment is not None:
        return moment
    years = _YEAR_IN_QUESTION.findall(question)
    return datetime(int(years[0]), 1, 1, tzinfo=UTC) if len(years) == 1 else None


class YearRange(NamedTuple):
    """The first and the last year of a period."""

    first_year: int
    last_year: int


def find_period_asked_about(question: str) -> YearRange | None:
    """Return the period that the question asks about, or None.

    It names one year, as "in 2017", or two, as "from 1836 to 1846".
    """
    named_years = _YEAR_BEFORE_ITS_WORD.findall(question)
    years = [int(year) for year in named_years or _FOUR_DIGITS.findall(question)]
    if len(years) == 1 and not named_years and _YEAR_IN_QUESTION.search(question) is None:
        return None
    return YearRange(min(years), max(years)) if 1 <= len(years) <= 2 else None


def find_year_not_followed_by_noun(question: str) -> YearRange | None:
    """Return the single year of a question in a language that capitalises all nouns, as a period; None if it
    has none or several, or if it may count the noun behind it: "1500 Meter".
    """
    years = list(_FOUR_DIGITS.finditer(question))
    if len(years) != 1 or not capitalises_nouns(question):
        return None
    following_words = question[years[0].end() :].split()
    if following_words and following_words[0][0].isupper():
        return None
    year = int(years[0][0])
    return YearRange(year, year)


class _WordRun(NamedTuple):
    """The indices of the first and the last word of a run."""

    first_index: int
    last_index: int


def _find_capitalised_runs(question: str, word_matches: Sequence[re.Match[str]]) -> Iterable[_WordRun]:
    """Yield the capitalised runs whose words only white space separates."""
    first_index: int | None = None
    for index, word_match in enumerate(word_matches):
        is_capitalised = word_match[0][0].isupper()
        if first_index is not None:
            text_between = question[word_matches[index - 1].end() : word_match.start()].strip()
            continues_name = (
                is_capitalised or word_match[0][0].isdigit() or word_match[0].casefold() in _NAME_PARTICLES
            )
            if text_between or not continues_name:
                yield _WordRun(first_index, index - 1)
                first_index = None
        if first_index is None and is_capitalised:
            first_index = index
    if first_index is not None:
        yield _WordRun(first_index, len(word_matches) - 1)


def list_content_word_mentions(question: str) -> list[Mention]:
    """Return pairs of adjacent content words, then single content words, each from left to right."""
    word_matches = list(_WORD.finditer(question))
    content_indices = [
        index for index, word_match in enumerate(word_matches) if not _is_function_word(word_match[0])
    ]
    pair_mentions = [
        _build_mention_from_range(
            question, word_matches[first_index].start(), word_matches[second_index].end()
        )
        for first_index, second_index in pairwise(content_indices)
        if second_index == first_index + 1
    ]
    word_mentions = [
        _build_mention_from_range(question, *word_matches[index].span()) for index in content_indices
    ]
    return pair_mentions + word_mentions


def _build_mention_from_range(question: str, start: int, end: int) -> Mention:
    surface = question[start:end]
    return Mention(normalise_name(surface), _POSSESSIVE.sub("", surface.strip(".")), start, end)


def _is_function_word(word: str) -> bool:
    normalised_word = normalise_name(word)
    return (
        not any(map(str.isalpha, normalised_word))
        or normalised_word in STOP_WORDS
        or normalised_word in PRONOUNS
        or normalised_word in _LEGAL_FORMS
        or _DATE_WORDS.issuperset(_LETTERS.findall(normalised_word))
    )


def is_written_as_name(surface: str, *, is_first_word: bool) -> bool:
    """Return whether a question writes these words as a name: with a capital or a digit.

    `is_first_word` says that they begin the question, where the first word is capitalised anyway. In a
    question without capitals nothing is written as a name, so all words are treated alike.
    """
    words = surface.split()[1 if is_first_word else 0 :]
    return any(character.isupper() or character.isdigit() for word in words for character in word)


def _list_third_person_forms(word: str) -> Iterable[str]:
    yield word
    if word.endswith(("s", "x", "ch", "sh")):
        yield word + "es"
    elif word.endswith("y") and word[-2:-1] not in "aeiou":
        yield word[:-1] + "ies"
    else:
        yield word + "s"
    if word.endswith("ed"):
        yield word[:-1] + "s"  # used: uses
        yield word[:-2] + "s"  # owned: owns
    if word.endswith("ing"):
        yield word[:-3] + "s"  # owning: owns
        yield word[:-3] + "es"  # using: uses


def guess_relation_types(question: str) -> list[str]:
    """Return relation types that the question may mean: its verbs in the third person, in snake_case."""
    words = [word for name in normalise_names(_WORD.findall(question)) for word in name.split()]
    hinted_relations: set[str] = set()
    for index, word in enumerate(words):
        if word in STOP_WORDS or word in PRONOUNS or not re.fullmatch(r"[a-z]{2,32}", word):
            continue
        next_word = words[index + 1] if index + 1 < len(words) else ""
        for form in _list_third_person_forms(word):
            hinted_relations.add(form)
            if next_word in VERB_PREPOSITIONS:
                hinted_relations.add(f"{form}_{next_word}")
        # "What does Kestrel depend upon, and who does it work with?": the preposition may be separated.
        # "Of" may not: in "the head office of Kestrel" it does not belong to "head".
        for preposition in VERB_PREPOSITIONS.intersection(words[index + 2 :]) - {"of"}:
            hinted_relations.update(f"{form}_{preposition}" for form in _list_third_person_forms(word))
    return sorted(hinted_relations)


def list_content_words(texts: Iterable[str]) -> list[frozenset[str]]:
    """Return the normalised content words of each text."""
    return [
        frozenset(
            word
            for word in normalised_name.split()
            if len(word) > 1 and word not in STOP_WORDS and word not in PRONOUNS
        )
        for normalised_name in normalise_names(texts)
    ]
