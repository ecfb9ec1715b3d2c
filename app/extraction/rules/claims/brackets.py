"""Removal of brackets, which separate a name from its verb, and claims of the life dates in them."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from app.domain.relation_types import BORN_IN, DIED_IN
from app.domain.scoring.stop_words import split_into_word_set
from app.extraction.rules.claims.units import Claim, Unit, claim_between_units, compute_kind_misfit
from app.extraction.rules.english.grammar import BE, DASHES, DETERMINERS
from app.extraction.rules.english.phrase_patterns import PATTERNS_BY_FIRST_WORD
from app.extraction.rules.sentences import Sentence
from app.extraction.rules.tokens import word_at
from app.graph.names import MONTHS_AND_DAYS

_MAX_BRACKET_CHARACTERS = 60
_BIRTH_WORDS = split_into_word_set("born b. b")
_DEATH_WORDS = split_into_word_set("died d. d")
# "(also known as Lia)" is not a clause, although "also stars" opens one.
_OPENING_WORDS_OF_ASIDE = split_into_word_set("born also")
_CONFIDENCE = 0.85
_PEOPLE = frozenset({"Person"})
_PLACE_KINDS = frozenset({"Location"})


@dataclass(frozen=True, slots=True)
class Aside:
    """A bracket after a name: its words, and the names in it."""

    owner: Unit
    sentence: Sentence
    units: list[Unit]


def _cut_sentence(sentence: Sentence, indexes: list[int]) -> Sentence:
    """Return a sentence of these words only."""
    return Sentence(
        sentence.start,
        sentence.end,
        [sentence.words[index] for index in indexes],
        [sentence.lower[index] for index in indexes],
        [sentence.starts[index] for index in indexes],
        [sentence.ends[index] for index in indexes],
    )


def _find_removable_brackets(sentence: Sentence) -> Iterator[range]:
    """Yield the indexes of the words of brackets that are not clauses, with both marks: "(the capital of
    France)".
    """
    lower_words, opening_index = sentence.lower, -1
    for index, word in enumerate(lower_words):
        if word == "(":
            opening_index = index
        elif word == ")" and opening_index >= 0:
            first_word = lower_words[opening_index + 1]
            opens_clause = (
                first_word in DETERMINERS
                or first_word in BE
                or (first_word in PATTERNS_BY_FIRST_WORD and first_word not in _OPENING_WORDS_OF_ASIDE)
            )
            if index - opening_index <= _MAX_BRACKET_CHARACTERS and not opens_clause:
                yield range(opening_index, index + 1)
            opening_index = -1


class SentenceWithoutBrackets(NamedTuple):
    """A sentence and its units without brackets, and the brackets after names."""

    sentence: Sentence
    units: list[Unit]
    asides: list[Aside]


def remove_brackets(sentence: Sentence, units: list[Unit]) -> SentenceWithoutBrackets:
    """Return the sentence and its units without brackets, and the brackets after names."""
    if "(" not in sentence.words:
        return SentenceWithoutBrackets(sentence, units, [])
    brackets = list(_find_removable_brackets(sentence))
    if not brackets:
        return SentenceWithoutBrackets(sentence, units, [])
    bracket_indexes = {index for bracket in brackets for index in bracket}
    remaining_indexes = [index for index in range(len(sentence.words)) if index not in bracket_indexes]
    new_index_by_old = {old_index: new_index for new_index, old_index in enumerate(remaining_indexes)}
    main_units = [
        replace(unit, first=new_index_by_old[unit.first], last=new_index_by_old[unit.last - 1] + 1)
        for unit in units
        if unit.first in new_index_by_old and unit.last - 1 in new_index_by_old
    ]
    asides = []
    for bracket in brackets:
        bracket_start, bracket_end = bracket.start, bracket.stop
        owner = next((unit for unit in units if unit.last == bracket_start), None)
        inner_units = [
            replace(unit, first=unit.first - bracket_start - 1, last=unit.last - bracket_start - 1)
            for unit in units
            if bracket_start < unit.first and unit.last < bracket_end
        ]
        if owner is not None:
            asides.append(
                Aside(
                    owner,
                    _cut_sentence(sentence, list(range(bracket_start + 1, bracket_end - 1))),
                    inner_units,
                )
            )
    return SentenceWithoutBrackets(_cut_sentence(sentence, remaining_indexes), main_units, asides)


def _is_name_in_bracket_a_place(lower_words: list[str], unit: Unit) -> bool:
    """Return whether a name in a biographical bracket is a place and not, as in "born Ann Lee", the name
    at birth.
    """
    word_before = word_at(lower_words, unit.first - 1, ",")
    # "(Hebrew: …": a language.
    if lower_words[unit.last : unit.last + 1] == [":"]:
        return False
    return (unit.is_certain and unit.kind == "Location") or word_before in (",", "in", "at", "near")


def claim_places_of_birth_and_death(aside: Aside) -> Iterator[Claim]:
    """Yield the places of a birth and a death: "(born 1953, Berlin)", "(Nîmes, 2 June 1663 – Voorburg,
    1719)".
    """
    misfit = compute_kind_misfit(aside.owner, _PEOPLE)
    lower_words = aside.sentence.lower
    has_year = any(len(word) == 4 and word.isdigit() for word in lower_words)
    if misfit >= 1 or not has_year or not aside.units:
        return
    is_birth = not _BIRTH_WORDS.isdisjoint(lower_words[:3])
    if not is_birth and MONTHS_AND_DAYS.isdisjoint(lower_words):
        return
    death_index = next(
        (index for index, word in enumerate(lower_words) if word in DASHES or word in _DEATH_WORDS),
        len(lower_words),
    )
    for relation, part_start, part_end in (
        (BORN_IN.name, 0, death_index),
        (DIED_IN.name, death_index, len(lower_words)),
    ):
        location = next(
            (
                unit
                for unit in aside.units
                if part_start <= unit.first < part_end and _is_name_in_bracket_a_place(lower_words, unit)
            ),
            None,
        )
        # With a dash but no "born" the birth precedes the dash; without either it is not a life.
        if (
            location is not None
            and compute_kind_misfit(location, _PLACE_KINDS) < 1
            and (is_birth or death_index < len(lower_words))
        ):
            confidence = _CONFIDENCE - misfit - compute_kind_misfit(location, _PLACE_KINDS)
            yield from claim_between_units(aside.owner, location, relation, confidence)
