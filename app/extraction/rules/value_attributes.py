"""Values as attributes, where a space asks for them: numbers with their units, and descriptions.

"The population of Oslo was 709,000", "the tower is 97 metres high", "Ann Lee is an English painter". An
attribute is recognised by the noun of its name; `english/words/value_words.py` lists other words for it. A
value is not a node.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from app.extraction.rules.claims.descriptions import find_description_start
from app.extraction.rules.claims.suppositions import have_word_of_doubt
from app.extraction.rules.claims.units import Unit, is_governed_by_preposition, is_verb
from app.extraction.rules.english.grammar import (
    ADVERBS,
    ARTICLES,
    BE,
    CLAUSE_ENDS,
    FORMS_OF_HAVE,
    POSSESSIVES,
    PREPOSITIONS,
    RELATIVE_PRONOUNS,
)
from app.extraction.rules.english.relation_ends import KINDS_BY_DESCRIBING_NOUN
from app.extraction.rules.english.words.date_verbs import DATE_VERBS
from app.extraction.rules.english.words.value_words import (
    CAPACITY_VERBS,
    DESCRIPTION_ATTRIBUTES,
    MAGNITUDES,
    MEASURE_UNITS,
    QUALIFIERS,
    VALUE_VERBS,
    WORDING_BY_ATTRIBUTE,
    WORDS_BEFORE_NUMBER,
    ValueWording,
)
from app.extraction.rules.indices import EntityIndex
from app.extraction.rules.pronouns.references import read_sentences_with_units
from app.extraction.rules.sentences import Sentence
from app.extraction.shapes import ChunkText, FoundAttribute, FoundEntity, Surface, Vocabulary
from app.space_settings import AttributeKind

_NUMBER = re.compile(
    r"(?<![\w.,/-])\d{1,3}(?:[, ]\d{3})+(?:\.\d+)?(?![\w,]*\d)|(?<![\w.,/-])\d+(?:\.\d+)?(?![\w,.-]*\d)"
)
# Maximum numbers of words: between a noun and the verb of its value, of a phrase that is a value, of a
# description, and before a counted thing.
_MAX_WORDS_BEFORE_VERB, _MAX_PHRASE_WORDS, _MAX_DESCRIPTION_WORDS, _MAX_WORDS_BEFORE_COUNTED_NOUN = (
    12,
    6,
    10,
    4,
)
_VALUE_KINDS = (AttributeKind.NUMBER, AttributeKind.TEXT)
_WORDS_AFTER_NOUN = PREPOSITIONS | RELATIVE_PRONOUNS | VALUE_VERBS | {"of", "usually", "typically"}
_DATE_ATTRIBUTES = {name for row in DATE_VERBS.values() for name in row.attributes}
_POSSESSION_WORDS = FORMS_OF_HAVE | {"with", "reached"}
_PHRASE_END_WORDS = (
    PREPOSITIONS
    | RELATIVE_PRONOUNS
    | BE
    | FORMS_OF_HAVE
    | CLAUSE_ENDS
    | {",", "(", ")", ".", "–", "—", "but", "or", "of", "to"}
)


@dataclass(frozen=True, slots=True)
class _Number:
    """A number in a sentence: the words `first` to `last` (exclusive) of the number and its unit."""

    first: int
    last: int
    value: float


@dataclass(frozen=True, slots=True)
class _RequestedAttribute:
    """An attribute that the space asks for, with the words of its nouns."""

    name: str
    nouns: tuple[tuple[str, ...], ...]
    wording: ValueWording


@dataclass(frozen=True, slots=True)
class _ParsedSentence:
    """A sentence with its names and numbers, and the topic of the document."""

    text: str
    sentence: Sentence
    units: Sequence[Unit]
    numbers: Sequence[_Number]
    topic: Unit | None

    def get_text_between(self, first_index: int, end_index: int) -> str:
        """Return the text of these words."""
        return " ".join(
            self.text[self.sentence.starts[first_index] : self.sentence.ends[end_index - 1]].split()
        )


def build_entities_with_stated_values(
    chunk: ChunkText, entities: Sequence[FoundEntity], vocabulary: Vocabulary
) -> tuple[FoundEntity, ...]:
    """Return the entities with the values that the chunk states about them, where the space asks for them."""
    requested_kinds = {
        kind: {
            name: attribute_kind
            for name, attribute_kind in kind_by_name.items()
            if attribute_kind in _VALUE_KINDS and name not in _DATE_ATTRIBUTES
        }
        for kind, kind_by_name in vocabulary.attributes.items()
    }
    if not any(requested_kinds.values()) or not chunk.is_wanted:
        return tuple(entities)
    described_entities = list(entities)
    requested_attributes = [
        _parse_attribute_name(name)
        for name in sorted({name for requested_names in requested_kinds.values() for name in requested_names})
    ]
    for entity, name, text, amount, quote in _read_stated_values(chunk, entities, requested_attributes):
        kind = requested_kinds.get(described_entities[entity].node_type, {}).get(name)
        value = amount if kind is AttributeKind.NUMBER else text
        if (
            kind is None
            or value is None
            or any(attribute.name == name for attribute in described_entities[entity].attributes)
        ):
            continue
        attributes = (
            *described_entities[entity].attributes,
            FoundAttribute(name, _format_value(value), quote),
        )
        described_entities[entity] = replace(described_entities[entity], attributes=attributes)
    return tuple(described_entities)


def _parse_attribute_name(name: str) -> _RequestedAttribute:
    wording = WORDING_BY_ATTRIBUTE.get(name, ValueWording())
    nouns = (name.replace("_", " "), *wording.nouns)
    return _RequestedAttribute(name, tuple(tuple(noun.split()) for noun in nouns), wording)


def _format_value(value: str | float) -> str | float:
    return int(value) if isinstance(value, float) and value.is_integer() else value


class _StatedValue(NamedTuple):
    entity: EntityIndex
    attribute: str
    text: str
    amount: float | None
    quote: Surface


class _ValueRange(NamedTuple):
    """The words of a value, `words[first:last]`, and its number if it is one."""

    first: int
    last: int
    amount: float | None


class _Owner(NamedTuple):
    """The owner of a noun, and the index after the words that name the owner."""

    unit: Unit
    end: int


class _ValueOfUnit(NamedTuple):
    unit: Unit
    first: int
    last: int
    amount: float | None


def _read_stated_values(
    chunk: ChunkText, entities: Sequence[FoundEntity], attributes: Sequence[_RequestedAttribute]
) -> Iterator[_StatedValue]:
    """Yield each value that a sentence states about a name."""
    for sentence, units, topic, quote in read_sentences_with_units(chunk, entities):
        if sentence.is_outside_prose or have_word_of_doubt(sentence.lower):
            continue
        numbers = list(_find_numbers(chunk.text, sentence))
        parsed_sentence = _ParsedSentence(chunk.text, sentence, units, numbers, topic)
        for attribute in attributes:
            for unit, first_word, end_word, amount in _read_values_of_attribute(parsed_sentence, attribute):
                for entity in unit.entities:
                    text = parsed_sentence.get_text_between(first_word, end_word)
                    yield _StatedValue(entity, attribute.name, text, amount, quote)


def _read_values_of_attribute(
    parsed_sentence: _ParsedSentence, attribute: _RequestedAttribute
) -> Iterator[_ValueOfUnit]:
    """Yield the values of one attribute in one sentence."""
    if attribute.name in DESCRIPTION_ATTRIBUTES:
        yield from _read_descriptions(parsed_sentence)
    for cue in CAPACITY_VERBS.get(attribute.name, ()):
        yield from _read_roles_in_which_somebody_acts(parsed_sentence, cue)
    for noun in attribute.nouns:
        yield from _read_values_by_noun(parsed_sentence, noun)
    for number in parsed_sentence.numbers:
        unit = _find_counted_name(parsed_sentence, attribute, number)
        if unit is not None:
            yield _ValueOfUnit(unit, number.first, number.last, number.value)


def _find_numbers(text: str, sentence: Sentence) -> Iterator[_Number]:
    for match in _NUMBER.finditer(text, sentence.start, sentence.end):
        first_word = bisect_left(sentence.starts, match.start())
        end_word = bisect_left(sentence.starts, match.end())
        value = float(re.sub("[, ]", "", match[0]))
        if sentence.lower[end_word : end_word + 1] and sentence.lower[end_word] in MAGNITUDES:
            value *= MAGNITUDES[sentence.lower[end_word]]
            end_word += 1
        while end_word < len(sentence.lower) and (
            sentence.lower[end_word] in MEASURE_UNITS or sentence.lower[end_word - 1] == "°"
        ):
            end_word += 1
        yield _Number(first_word, end_word, value)


def _read_values_by_noun(parsed_sentence: _ParsedSentence, noun: tuple[str, ...]) -> Iterator[_ValueOfUnit]:
    """Yield values after the noun: "a population of 900", "average snowfall is 6 inches", "the motto is
    X".
    """
    lower_words = parsed_sentence.sentence.lower
    for index in range(len(lower_words) - len(noun)):
        if tuple(lower_words[index : index + len(noun)]) != noun:
            continue
        noun_start = _find_noun_start(lower_words, index, index + len(noun))
        owner = (
            None
            if noun_start is None
            else _find_owner_of_noun(parsed_sentence, noun_start, index + len(noun))
        )
        value = None if owner is None else _find_value_after_noun(parsed_sentence, owner.end)
        if owner is not None and value is not None:
            yield _ValueOfUnit(owner.unit, *value)


def _find_noun_start(lower_words: Sequence[str], first_index: int, end_index: int) -> int | None:
    """Return the index of a noun's article or qualifiers; None if the noun belongs to another value."""
    if lower_words[end_index][0].isalpha() and lower_words[end_index] not in _WORDS_AFTER_NOUN:
        # "population density"
        return None
    while first_index > 0 and lower_words[first_index - 1] in QUALIFIERS:
        first_index -= 1
    if first_index > 0 and lower_words[first_index - 1] in ARTICLES:
        return first_index - 1
    # "the metropolitan population"
    return (
        first_index
        if first_index == 0 or lower_words[first_index - 1] in _POSSESSION_WORDS | POSSESSIVES | {","}
        else None
    )


def _find_value_after_noun(parsed_sentence: _ParsedSentence, index: int) -> _ValueRange | None:
    """Return the value after a noun; None if there is none."""
    lower_words = parsed_sentence.sentence.lower
    if (
        lower_words[index : index + 1] == ["of"]
        and (number := _find_number_at(parsed_sentence, index + 1)) is not None
    ):
        return _ValueRange(number.first, number.last, number.value)
    verb_index = _find_value_verb(parsed_sentence.sentence, index)
    if verb_index is None:
        return None
    if (number := _find_number_at(parsed_sentence, verb_index + 1)) is not None:
        return _ValueRange(number.first, number.last, number.value)
    phrase = (
        _find_noun_phrase(parsed_sentence.sentence, verb_index + 1, _MAX_PHRASE_WORDS)
        if lower_words[verb_index] in BE
        else None
    )
    if phrase is None:
        return None
    phrase_start, phrase_end = phrase
    # An adjective is not a value: "Snowfall is rare".
    if phrase_start == verb_index + 1 and not parsed_sentence.sentence.words[phrase_start][0].isupper():
        return None
    return _ValueRange(phrase_start, phrase_end, None)


def _find_owner_of_noun(parsed_sentence: _ParsedSentence, first_index: int, end_index: int) -> _Owner | None:
    """Return the owner of the noun, and the index after the words that name the owner; None if it is
    unclear.
    """
    lower_words, units = parsed_sentence.sentence.lower, parsed_sentence.units
    if (
        lower_words[end_index : end_index + 1] in (["of"], ["in"])
        and _find_number_at(parsed_sentence, end_index + 1) is None
    ):
        index = end_index + 1 + (lower_words[end_index + 1 : end_index + 2] == ["the"])
        unit = next((candidate for candidate in units if candidate.first in (end_index + 1, index)), None)
        if unit is not None:
            return _Owner(unit, unit.last)
        described_kinds = (
            KINDS_BY_DESCRIBING_NOUN.get(lower_words[index]) if index < len(lower_words) else None
        )
        if (
            described_kinds is not None
            and parsed_sentence.topic is not None
            and parsed_sentence.topic.kind in described_kinds
        ):
            return _Owner(parsed_sentence.topic, index + 1)
        return None
    if first_index > 0 and lower_words[first_index - 1] in POSSESSIVES:
        unit = next((candidate for candidate in units if candidate.last == first_index - 1), None)
        return None if unit is None else _Owner(unit, end_index)
    subject = _find_subject_of_noun(parsed_sentence, first_index, end_index)
    return None if subject is None else _Owner(subject, end_index)


def _find_subject_of_noun(parsed_sentence: _ParsedSentence, first_index: int, end_index: int) -> Unit | None:
    """Return the owner of a noun without a name next to it: the subject of the sentence, else the document's
    topic; None if it is unclear.
    """
    lower_words = parsed_sentence.sentence.lower
    word_before = lower_words[first_index - 1] if first_index > 0 else ""
    if word_before == "with" and first_index <= 2:
        return _find_subject_after_comma(parsed_sentence, end_index)
    preceding_units = (unit for unit in parsed_sentence.units if unit.last <= first_index)
    subject = next(
        (unit for unit in preceding_units if not is_governed_by_preposition(parsed_sentence.sentence, unit)),
        None,
    )
    if subject is None:
        has_verb_before = word_before in _POSSESSION_WORDS or any(
            map(is_verb, lower_words[: max(0, first_index - 1)])
        )
        return None if has_verb_before else parsed_sentence.topic
    # "Oslo is old, and the population is 900": the owner is not stated.
    return (
        subject
        if word_before in _POSSESSION_WORDS or lower_words[first_index] in ("its", "his", "her")
        else None
    )


def _find_subject_after_comma(parsed_sentence: _ParsedSentence, end_index: int) -> Unit | None:
    """Return the name that a phrase at the beginning of a sentence is about, or None: "With a population of
    900, Oslo is".
    """
    lower_words = parsed_sentence.sentence.lower
    for index in range(end_index, len(lower_words) - 1):
        if lower_words[index] == "," and not (
            lower_words[index - 1].isdigit() and lower_words[index + 1].isdigit()
        ):
            if lower_words[index + 1] == "it":
                return parsed_sentence.topic
            index += 1 + (lower_words[index + 1] == "the")
            return next((unit for unit in parsed_sentence.units if unit.first in (index, index - 1)), None)
    return None


def _find_value_verb(sentence: Sentence, first_index: int) -> int | None:
    """Return the index of the verb between a noun and its value, skipping asides in commas or brackets; None
    if there is none.
    """
    for index in range(first_index, min(first_index + _MAX_WORDS_BEFORE_VERB, len(sentence.lower))):
        word = sentence.lower[index]
        if word in VALUE_VERBS:
            return index
        if word in CLAUSE_ENDS or (is_verb(word) and sentence.lower[index - 1] != "as"):
            return None
    return None


def _find_number_at(parsed_sentence: _ParsedSentence, index: int) -> _Number | None:
    """Return the number that begins at `index`, after "about" and the like, or None."""
    lower_words = parsed_sentence.sentence.lower
    while index < len(lower_words) and lower_words[index] in WORDS_BEFORE_NUMBER:
        index += 1
    return next((number for number in parsed_sentence.numbers if number.first == index), None)


def _find_counted_name(
    parsed_sentence: _ParsedSentence, attribute: _RequestedAttribute, number: _Number
) -> Unit | None:
    """Return the name that a number with its unit describes, or None: "has 900 inhabitants", "is 97 metres
    high".
    """
    lower_words, first_word = parsed_sentence.sentence.lower, number.first
    while first_word > 0 and lower_words[first_word - 1] in WORDS_BEFORE_NUMBER:
        first_word -= 1
    word_before = lower_words[first_word - 1] if first_word > 0 else ""
    if attribute.wording.counted_nouns and lower_words[number.last - 1] in attribute.wording.counted_nouns:
        fits_number = word_before in _POSSESSION_WORDS
    else:
        next_word = "".join(lower_words[number.last : number.last + 1])
        fits_number = (
            word_before in BE and number.last - number.first > 1 and next_word in attribute.wording.adjectives
        )
    if not fits_number:
        return None
    unit = next(
        (candidate for candidate in reversed(parsed_sentence.units) if candidate.last <= first_word), None
    )
    if (
        unit is None
        or is_governed_by_preposition(parsed_sentence.sentence, unit)
        or first_word - 1 - unit.last > _MAX_WORDS_BEFORE_COUNTED_NOUN
    ):
        return None
    return unit if not any(map(is_verb, lower_words[unit.last : first_word - 1])) else None


def _read_descriptions(parsed_sentence: _ParsedSentence) -> Iterator[_ValueOfUnit]:
    """Yield descriptions of things: "Ann Lee is an English painter", "Ann Lee, an English painter,"."""
    words = parsed_sentence.sentence.words
    for unit in parsed_sentence.units:
        if unit.is_reference or is_governed_by_preposition(parsed_sentence.sentence, unit):
            continue
        description_start = find_description_start(parsed_sentence.sentence, unit)
        phrase = (
            None
            if description_start is None
            else _find_noun_phrase(parsed_sentence.sentence, description_start, _MAX_DESCRIPTION_WORDS)
        )
        if phrase is not None and words[phrase[1] - 1].islower():
            yield _ValueOfUnit(unit, *phrase, None)


def _read_roles_in_which_somebody_acts(
    parsed_sentence: _ParsedSentence, cue: tuple[str, ...]
) -> Iterator[_ValueOfUnit]:
    """Yield the roles in which somebody acts: "who plays as a goalkeeper"."""
    lower_words = parsed_sentence.sentence.lower
    for index in range(len(lower_words) - len(cue)):
        if tuple(lower_words[index : index + len(cue)]) == cue and lower_words[index + len(cue)] in (
            "a",
            "an",
        ):
            unit = next(
                (
                    candidate
                    for candidate in parsed_sentence.units
                    if not is_governed_by_preposition(parsed_sentence.sentence, candidate)
                ),
                None,
            )
            phrase = _find_noun_phrase(parsed_sentence.sentence, index + len(cue), _MAX_PHRASE_WORDS)
            if unit is not None and unit.last <= index and phrase is not None:
                yield _ValueOfUnit(unit, *phrase, None)


WordRange = tuple[int, int]
"""Index of the first word, and the index after the last one."""


def _find_noun_phrase(sentence: Sentence, first_index: int, max_words: int) -> WordRange | None:
    """Return the range of the noun phrase at `first_index`, without its article; None if "of" follows it."""
    lower_words = sentence.lower
    first_index += lower_words[first_index : first_index + 1] != [] and lower_words[first_index] in (
        "a",
        "an",
        "the",
    )
    end_index = first_index
    while (
        end_index < len(lower_words)
        and end_index - first_index <= max_words
        and lower_words[end_index] not in _PHRASE_END_WORDS
    ):
        if lower_words[end_index] == "and" and not _is_continued_by_and(sentence, end_index):
            break
        if (
            end_index > first_index
            and is_verb(lower_words[end_index])
            and lower_words[end_index].endswith(("ed", "en", "ing"))
            and "-" not in lower_words[end_index]
        ):
            break
        if lower_words[end_index].endswith("ing") and lower_words[end_index + 1 : end_index + 2] in (
            ["a"],
            ["an"],
            ["the"],
        ):
            break
        end_index += 1
    has_noun_end = end_index >= len(lower_words) or lower_words[end_index] != "of"
    is_noun = (
        first_index < end_index
        and lower_words[first_index] not in ADVERBS
        and not is_verb(lower_words[first_index])
    )
    return (
        (first_index, end_index)
        if has_noun_end and is_noun and end_index - first_index <= max_words
        else None
    )


def _is_continued_by_and(sentence: Sentence, index: int) -> bool:
    """Return whether "and" joins another noun to the phrase: "painter and sculptor"."""
    word = "".join(sentence.words[index + 1 : index + 2])
    return word.islower() and word.isalpha() and word not in ARTICLES and not is_verb(word)
