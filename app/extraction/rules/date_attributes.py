"""Dates as attributes, where a space asks for them: "born 12 May 1950", "founded in 1998".

A date is not a node. `english/words/date_verbs.py` maps verbs to the attributes that they date.
"""

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from app.extraction.rules.claims.descriptions import find_description_start, is_nationality
from app.extraction.rules.claims.suppositions import have_word_of_doubt
from app.extraction.rules.claims.time_spans import parse_written_date
from app.extraction.rules.claims.units import Unit, is_governed_by_preposition, is_verb
from app.extraction.rules.claims.verb_subjects import is_neutral_word
from app.extraction.rules.english.date_patterns import ANY_DATE, ANY_YEAR
from app.extraction.rules.english.grammar import (
    BE,
    CLAUSE_ENDS,
    FORMS_OF_HAVE,
    PREPOSITIONS,
    RELATIVE_PRONOUNS,
)
from app.extraction.rules.english.words.date_verbs import BIRTH, DATE_VERBS, DEATH, INTRANSITIVE_VERBS
from app.extraction.rules.indices import EntityIndex
from app.extraction.rules.name_kinds import find_kind_of_noun_phrase
from app.extraction.rules.names.quoted import QUOTES
from app.extraction.rules.pronouns.references import read_sentences_with_units
from app.extraction.rules.sentences import Sentence
from app.extraction.rules.tokens import word_at
from app.extraction.shapes import ChunkText, FoundAttribute, FoundEntity, Surface, Vocabulary
from app.graph.validity import DatePoint, Precision
from app.space_settings import AttributeKind

# Maximum number of words between a verb and its date, and between a verb and its name.
_MAX_WORDS_TO_DATE, _MAX_WORDS_TO_NAME = 8, 4
_MAX_BRACKET_LENGTH = 40
_PHRASE_END_WORDS = frozenset((";", ")", "and"))
# "In May 1998, …"
_MAX_OPENING_INDEX = 3
_OPENING_PREPOSITIONS = frozenset(("in", "on", "during"))
_RELEASED_KINDS = frozenset(("Document", "Product"))
# Words allowed between a name and its verb.
_WORDS_BEFORE_VERB = BE | FORMS_OF_HAVE | RELATIVE_PRONOUNS | {","}
_FORMAT_BY_PRECISION = {Precision.YEAR: "%Y", Precision.MONTH: "%Y-%m", Precision.DAY: "%Y-%m-%d"}


@dataclass(frozen=True, slots=True)
class _Date:
    """A date in a sentence: the words `first` to `last` (exclusive)."""

    first: int
    last: int
    point: DatePoint


class _Verb(NamedTuple):
    """A verb that dates something: its words after the first ("brought out"), and the meaning of the date."""

    particles: tuple[str, ...]
    meaning: str


def build_entities_with_stated_dates(
    chunk: ChunkText, entities: Sequence[FoundEntity], vocabulary: Vocabulary
) -> tuple[FoundEntity, ...]:
    """Return the entities with the dates that the chunk states, where the space asks for such attributes."""
    requested_kinds = {
        kind: {
            name: attribute_kind
            for name, attribute_kind in requested_kinds_by_name.items()
            if name in _MEANINGS_BY_ATTRIBUTE and attribute_kind in _DATE_ATTRIBUTE_KINDS
        }
        for kind, requested_kinds_by_name in vocabulary.attributes.items()
    }
    if not any(requested_kinds.values()) or not chunk.is_wanted or ANY_YEAR.search(chunk.text) is None:
        return tuple(entities)
    dated_entities = list(entities)
    for entity, meaning, point, quote in _read_stated_dates(chunk, entities):
        kind_by_name = requested_kinds.get(dated_entities[entity].node_type, {})
        known_names = {attribute.name for attribute in dated_entities[entity].attributes}
        for name in kind_by_name:
            if meaning in _MEANINGS_BY_ATTRIBUTE[name] and name not in known_names:
                precision = Precision.YEAR if kind_by_name[name] is AttributeKind.NUMBER else point.precision
                value = point.at.strftime(_FORMAT_BY_PRECISION[precision])
                attributes = (*dated_entities[entity].attributes, FoundAttribute(name, value, quote))
                dated_entities[entity] = replace(dated_entities[entity], attributes=attributes)
    return tuple(dated_entities)


_DATE_ATTRIBUTE_KINDS = (AttributeKind.DATE, AttributeKind.NUMBER)
_MEANINGS_BY_ATTRIBUTE: dict[str, set[str]] = {}
for _meaning, _wording in DATE_VERBS.items():
    for _name in _wording.attributes:
        _MEANINGS_BY_ATTRIBUTE.setdefault(_name, set()).add(_meaning)
_DATE_VERB_BY_FIRST_WORD: Mapping[str, _Verb] = {
    first_word: _Verb(tuple(particles), meaning)
    for meaning, wording in DATE_VERBS.items()
    for first_word, *particles in (verb.split("_") for verb in wording.verbs)
}


class _StatedDate(NamedTuple):
    entity: EntityIndex
    meaning: str
    point: DatePoint
    quote: Surface


class _DateOfUnit(NamedTuple):
    unit: Unit
    meaning: str
    point: DatePoint


def _read_stated_dates(chunk: ChunkText, entities: Sequence[FoundEntity]) -> Iterator[_StatedDate]:
    """Yield each date that a sentence of the chunk states about a name."""
    release_dates: list[_StatedDate] = []
    for sentence, units, _, quote in read_sentences_with_units(chunk, entities):
        dates = [] if sentence.is_outside_prose or not units else _find_dates(chunk.text, sentence)
        if dates and not have_word_of_doubt(sentence.lower):
            for unit, meaning, point in (
                *_read_dates_by_verbs(sentence, units, dates),
                *_read_life_dates(sentence, units, dates),
            ):
                yield from (_StatedDate(entity, meaning, point, quote) for entity in unit.entities)
            for unit, point in _read_years_of_works(sentence, units, dates):
                release_dates += (_StatedDate(entity, "release", point, quote) for entity in unit.entities)
    # Years of works come last: a verb, if there is one, gives the day.
    yield from release_dates


def _find_dates(text: str, sentence: Sentence) -> list[_Date]:
    dates = []
    for match in ANY_DATE.finditer(text[sentence.start : sentence.end].lower()):
        point = parse_written_date(match[0])
        if point is not None:
            first_word = bisect_left(sentence.starts, sentence.start + match.start())
            dates.append(_Date(first_word, bisect_left(sentence.starts, sentence.start + match.end()), point))
    return dates


def _read_dates_by_verbs(
    sentence: Sentence, units: Sequence[Unit], dates: Sequence[_Date]
) -> Iterator[_DateOfUnit]:
    """Yield the dates that verbs give: "was founded in 1998", "founded Acme in 1998", "(born 12 May 1950 in
    Oslo)", "In 1998, she published".
    """
    opening_date = _find_opening_date(sentence, dates)
    for index, word in enumerate(sentence.lower):
        date_verb = _DATE_VERB_BY_FIRST_WORD.get(word)
        if date_verb is None:
            continue
        verb_end = index + 1 + len(date_verb.particles)
        if tuple(sentence.lower[index + 1 : verb_end]) != date_verb.particles:
            continue
        date = next((candidate for candidate in dates if candidate.first > index), None)
        if date is None or not _is_date_of_verb(sentence.lower[verb_end : date.first]):
            date = opening_date
        unit = None if date is None else _find_dated_name(sentence, units, index, date)
        if date is not None and unit is not None:
            yield _DateOfUnit(unit, date_verb.meaning, date.point)


def _find_opening_date(sentence: Sentence, dates: Sequence[_Date]) -> _Date | None:
    """Return the date of "In 1998, …" if no other date follows, else None."""
    is_opening = (
        len(dates) == 1
        and dates[0].first <= _MAX_OPENING_INDEX
        and sentence.lower[0] in _OPENING_PREPOSITIONS
    )
    return dates[0] if is_opening and sentence.lower[dates[0].last : dates[0].last + 1] == [","] else None


def _is_date_of_verb(words: Sequence[str]) -> bool:
    """Return whether a date after these words still belongs to the verb before them."""
    return len(words) <= _MAX_WORDS_TO_DATE and not any(
        word in CLAUSE_ENDS or word in RELATIVE_PRONOUNS or word in _PHRASE_END_WORDS or is_verb(word)
        for word in words
    )


def _find_dated_name(sentence: Sentence, units: Sequence[Unit], verb_index: int, date: _Date) -> Unit | None:
    """Return the name that the verb at this index dates, or None."""
    lower_words = sentence.lower
    if lower_words[verb_index - 1 : verb_index] == ["("]:
        return next((unit for unit in units if unit.last == verb_index - 1), None)
    unit_before = next((unit for unit in reversed(units) if unit.last <= verb_index), None)
    if unit_before is None:
        return None
    words = [
        word for word in lower_words[unit_before.last : verb_index] if word in BE or not is_neutral_word(word)
    ]
    if len(words) > _MAX_WORDS_TO_NAME or not _WORDS_BEFORE_VERB.issuperset(words):
        return None
    if not BE.isdisjoint(words) or lower_words[verb_index] in INTRANSITIVE_VERBS or words == [","]:
        return _find_described_name(sentence, units, unit_before, words)
    return _find_object_of_verb(sentence, units, verb_index, date)


def _find_object_of_verb(
    sentence: Sentence, units: Sequence[Unit], verb_index: int, date: _Date
) -> Unit | None:
    """Return the nearby name after the verb at this index, or the quoted title of a nearby noun, or None."""
    next_unit = next((unit for unit in units if unit.first > verb_index), None)
    if next_unit is None or (next_unit.last > date.first > verb_index):
        return None
    return (
        next_unit
        if next_unit.first <= verb_index + _MAX_WORDS_TO_NAME
        or _is_object_title(sentence, verb_index, next_unit)
        else None
    )


def _find_described_name(
    sentence: Sentence, units: Sequence[Unit], unit_before: Unit, words_between: Sequence[str]
) -> Unit | None:
    """Return the subject of a verb after a place in its description, or None: "Acme, a firm in Oslo, Norway,
    was founded".
    """
    if unit_before.kind != "Location":
        # "The father of Ann Lee died" does not date her death.
        return (
            unit_before
            if words_between[:1] == [","] or not is_governed_by_preposition(sentence, unit_before)
            else None
        )
    index = list(units).index(unit_before)
    while (
        index > 0
        and units[index].kind == "Location"
        and _does_place_only_qualify_phrase(sentence, units[index])
    ):
        index -= 1
    if units[index] is unit_before:
        return unit_before
    return (
        units[index] if words_between[:1] == [","] and RELATIVE_PRONOUNS.isdisjoint(words_between) else None
    )


def _does_place_only_qualify_phrase(sentence: Sentence, unit: Unit) -> bool:
    """Return whether a place only qualifies another phrase.

    It does after "a" ("a United States publisher") and after a comma ("Lyon, France"), as a nationality, and
    as the complement of a preposition.
    """
    previous_word = word_at(sentence.lower, unit.first - 1)
    return (
        previous_word in (",", "a", "an")
        or is_nationality(sentence, unit)
        or is_governed_by_preposition(sentence, unit)
    )


def _is_object_title(sentence: Sentence, verb_index: int, unit: Unit) -> bool:
    """Return whether a quoted title is the verb's object: 'published her first book, "How to Eat"'."""
    words = sentence.lower[verb_index + 1 : unit.first]
    is_noun_phrase = not any(word in PREPOSITIONS or is_verb(word) for word in words)
    return is_noun_phrase and len(words) <= _MAX_WORDS_TO_DATE and words[-1] in QUOTES


class _YearOfWork(NamedTuple):
    """A work, and the year in which it appeared."""

    work: Unit
    date: DatePoint


def _read_years_of_works(
    sentence: Sentence, units: Sequence[Unit], dates: Sequence[_Date]
) -> Iterator[_YearOfWork]:
    """Yield the year of a work before its kind: "Heat is a 1995 film"."""
    for date in dates:
        if (
            date.point.precision is Precision.YEAR
            and find_kind_of_noun_phrase(sentence, date.last) in _RELEASED_KINDS
        ):
            for unit in units:
                if find_description_start(
                    sentence, unit
                ) == date.first - 1 and not is_governed_by_preposition(sentence, unit):
                    yield _YearOfWork(unit, date.point)


def _read_life_dates(
    sentence: Sentence, units: Sequence[Unit], dates: Sequence[_Date]
) -> Iterator[_DateOfUnit]:
    """Yield birth and death of a person before a bracket with two dates: "(31 December 1918 – 23 May
    2007)".
    """
    lower_words = sentence.lower
    for unit in units:
        if unit.kind != "Person" or lower_words[unit.last : unit.last + 1] != ["("]:
            continue
        bracket_words = lower_words[unit.last : unit.last + _MAX_BRACKET_LENGTH]
        closing_index = unit.last + bracket_words.index(")") if ")" in bracket_words else unit.last
        dates_in_bracket = [date for date in dates if unit.last < date.first < closing_index]
        if len(dates_in_bracket) != 2:
            continue
        birth_date, death_date = dates_in_bracket
        gap = lower_words[birth_date.last : death_date.first]
        if birth_date.point.at <= death_date.point.at and any(mark in ("-", "–", "—") for mark in gap):
            yield _DateOfUnit(unit, BIRTH, birth_date.point)
            yield _DateOfUnit(unit, DEATH, death_date.point)
