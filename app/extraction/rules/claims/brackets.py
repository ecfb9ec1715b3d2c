"""Removal of brackets, which separate a name from its verb, and claims of the life dates in them."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from app.domain.relation_types import BORN_IN, DIED_IN
from app.domain.scoring.stop_words import word_set
from app.extraction.rules.claims.units import Claim, Unit, claim_between_units, compute_kind_misfit
from app.extraction.rules.english.grammar import BE, DASHES, DETERMINERS
from app.extraction.rules.english.phrase_patterns import TRIE
from app.extraction.rules.sentences import Sentence
from app.extraction.rules.tokens import word_at
from app.graph.names import MONTHS_AND_DAYS

_LONGEST = 60
_BORN = word_set("born b. b")
_DIED = word_set("died d. d")
# "(also known as Lia)" is not a clause, although "also stars" opens one.
_OPENS_ASIDE = word_set("born also")
_STATED = 0.85
_PEOPLE = frozenset({"Person"})
_PLACES = frozenset({"Location"})


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


def _find_removable_brackets(sentence: Sentence) -> Iterator[tuple[int, int]]:
    """Yield the ranges of brackets that are not clauses ("(the capital of France)"), with both marks."""
    lower, opening_index = sentence.lower, -1
    for index, word in enumerate(lower):
        if word == "(":
            opening_index = index
        elif word == ")" and opening_index >= 0:
            first = lower[opening_index + 1]
            clause = first in DETERMINERS or first in BE or (first in TRIE and first not in _OPENS_ASIDE)
            if index - opening_index <= _LONGEST and not clause:
                yield opening_index, index + 1
            opening_index = -1


def remove_brackets(sentence: Sentence, units: list[Unit]) -> tuple[Sentence, list[Unit], list[Aside]]:
    """Return the sentence and its units without brackets, and the brackets after names."""
    if "(" not in sentence.words:
        return sentence, units, []
    brackets = list(_find_removable_brackets(sentence))
    if not brackets:
        return sentence, units, []
    dropped_indexes = {index for first, last in brackets for index in range(first, last)}
    kept_indexes = [index for index in range(len(sentence.words)) if index not in dropped_indexes]
    position = {old: new for new, old in enumerate(kept_indexes)}
    main = [
        replace(unit, first=position[unit.first], last=position[unit.last - 1] + 1)
        for unit in units
        if unit.first in position and unit.last - 1 in position
    ]
    asides = []
    for first, last in brackets:
        owner = next((unit for unit in units if unit.last == first), None)
        inner = [
            replace(unit, first=unit.first - first - 1, last=unit.last - first - 1)
            for unit in units
            if first < unit.first and unit.last < last
        ]
        if owner is not None:
            asides.append(Aside(owner, _cut_sentence(sentence, list(range(first + 1, last - 1))), inner))
    return _cut_sentence(sentence, kept_indexes), main, asides


def _may_be_place(lower: list[str], unit: Unit) -> bool:
    """Return whether a name in a biographical bracket is a place and not, as in "born Ann Lee", the name
    at birth.
    """
    before = word_at(lower, unit.first - 1, ",")
    # "(Hebrew: …": a language.
    if lower[unit.last : unit.last + 1] == [":"]:
        return False
    return (unit.certain and unit.kind == "Location") or before in (",", "in", "at", "near")


def claim_places_of_birth_and_death(aside: Aside) -> Iterator[Claim]:
    """Yield the places of a birth and a death: "(born 1953, Berlin)", "(Nîmes, 2 June 1663 – Voorburg,
    1719)".
    """
    unfit = compute_kind_misfit(aside.owner, _PEOPLE)
    lower = aside.sentence.lower
    has_year = any(len(word) == 4 and word.isdigit() for word in lower)
    if unfit >= 1 or not has_year or not aside.units:
        return
    born = not _BORN.isdisjoint(lower[:3])
    if not born and MONTHS_AND_DAYS.isdisjoint(lower):
        return
    cut = next((index for index, word in enumerate(lower) if word in DASHES or word in _DIED), len(lower))
    for relation, first, last in ((BORN_IN.name, 0, cut), (DIED_IN.name, cut, len(lower))):
        location = next(
            (unit for unit in aside.units if first <= unit.first < last and _may_be_place(lower, unit)), None
        )
        # With a dash but no "born" the birth precedes the dash; without either it is not a life.
        if location is not None and compute_kind_misfit(location, _PLACES) < 1 and (born or cut < len(lower)):
            confidence = _STATED - unfit - compute_kind_misfit(location, _PLACES)
            yield from claim_between_units(aside.owner, location, relation, confidence)
