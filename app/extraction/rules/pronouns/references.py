"""The names of each sentence of a chunk, with its pronouns and descriptions resolved."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from app.documents.sentences import find_start_after_list_mark
from app.domain.node_types import PEOPLE
from app.extraction.rules.claims.units import Unit, is_verb
from app.extraction.rules.document_words import remove_bracket_of_title
from app.extraction.rules.english.cast_and_team_words import WORK_NOUNS
from app.extraction.rules.english.date_patterns import MONTHS, WORDS_BEFORE_DATE
from app.extraction.rules.english.grammar import BE, KIN_PRONOUNS, PEOPLE_PRONOUNS, POSSESSIVES, PREPOSITIONS
from app.extraction.rules.english.lexicon import SENTENCE_STARTERS, WORDS_NEVER_A_NAME
from app.extraction.rules.english.relation_ends import KINDS_BY_DESCRIBING_NOUN
from app.extraction.rules.english.verbless_pairs import EPONYM_VERBS, ROLES_BY_NOUN
from app.extraction.rules.english.words.families import KIN_RELATION_BY_NOUN, PAIR_NOUNS
from app.extraction.rules.indices import EntityIndex
from app.extraction.rules.name_kinds import is_written_as_person
from app.extraction.rules.names.quoted import QUOTES
from app.extraction.rules.pronouns.antecedents import (
    DEFINITE_WORDS,
    MAX_SUBJECT_INDEX,
    PLURAL_PRONOUNS,
    PREVIOUS_CONFIDENCE,
    TITLE_CONFIDENCE,
    AntecedentTracker,
    EntityReference,
)
from app.extraction.rules.sentences import Sentence, read_sentences
from app.extraction.rules.tokens import word_at
from app.extraction.shapes import ChunkText, FoundEntity, Surface
from app.graph.names import normalise_name

_MAX_UNITS = 40
# Nouns after "his" and "her" that, like kinship nouns, make the possessor an end of a relation.
_NOUNS_WITH_POSSESSOR = KIN_RELATION_BY_NOUN.keys() | {"marriage", "successor", "predecessor"}
# The same after "its" at the beginning of a sentence.
_NOUNS_AFTER_ITS = frozenset(
    noun for noun, roles in ROLES_BY_NOUN.items() if any(role.may_follow_its for _, role in roles)
)
_CLOSING_MARKS = [[mark] for mark in QUOTES]
# Words that refer to an earlier sentence only at the beginning of a sentence.
_OPENING_REFERENCES = DEFINITE_WORDS | {"it"}
_ITS_NAME = ["its", "name"]
_MAX_WORDS_OF_KIN = 4
"""Maximum number of words of "his first elder brother"."""
_PEOPLE_AND_KIN_PRONOUNS = PEOPLE_PRONOUNS | KIN_PRONOUNS
_REFERENCES = _PEOPLE_AND_KIN_PRONOUNS | _OPENING_REFERENCES | PLURAL_PRONOUNS | {"its"}
# Maximum length of "By the end of May 2010".
_MAX_DATE_LENGTH, _YEAR_DIGITS = 6, 4
_DATE_WORDS = WORDS_BEFORE_DATE | frozenset(
    (*MONTHS, ",", "now", "today", "then", "early", "late", "currently")
)


def find_title_entity(chunk: ChunkText, entities: Sequence[FoundEntity]) -> EntityIndex | None:
    key = normalise_name(remove_bracket_of_title(chunk.document_title)).removeprefix("the ")
    if not key:
        return None
    for position, entity in enumerate(entities):
        if entity.is_background:
            continue
        names = (entity.name, *entity.aliases)
        if any(normalise_name(name).removeprefix("the ") == key for name in names):
            return position
    title_words = key.split()
    for position, entity in enumerate(entities):
        if entity.node_type == "Person" and len(title_words) > 1:
            name_words = normalise_name(entity.name).split()
            # "Rufus Carter" fits a text about Rufus Seaman Carter, "Sir John Bell" one about John Bell.
            has_same_ends = (name_words[0], name_words[-1]) == (title_words[0], title_words[-1])
            if len(name_words) > 1 and (has_same_ends or name_words == title_words[-len(name_words) :]):
                return position
    return None


def _list_mentioned_units(
    sentence: Sentence, mentions: Sequence["_Mention"], entities: Sequence[FoundEntity]
) -> list[Unit]:
    """Return the mentions of a sentence as units of words, without overlap."""
    units: list[Unit] = []
    for start, end, entity in mentions[:_MAX_UNITS]:
        first_word = bisect_left(sentence.starts, start)
        end_word = bisect_left(sentence.starts, end)
        # The closing mark of a quoted title belongs to the title.
        end_word += (
            first_word > 0
            and sentence.words[first_word - 1] in QUOTES
            and sentence.words[end_word : end_word + 1] in _CLOSING_MARKS
        )
        if first_word < end_word and (not units or first_word >= units[-1].last):
            units.append(
                Unit(
                    first_word,
                    end_word,
                    [entity],
                    entities[entity].node_type,
                    entities[entity].is_type_certain,
                    is_person_name=is_written_as_person(entities[entity].name),
                )
            )
            title_words = _count_title_words(sentence, units)
            units[-1].first -= title_words
            units[-1].title_length = title_words
    return units


def _count_title_words(sentence: Sentence, units: Sequence[Unit]) -> int:
    """Return the number of capitalised words in front of the last unit that are the title of a person.

    Nouns for people that the rules know ("CEO") join names in claims. A single word at the beginning of a
    sentence has its capital from there, unless it is a plural before several names.
    """
    unit = units[-1]
    if not (unit.kind in PEOPLE and unit.is_certain and unit.first):
        return 0
    search_start = units[-2].last if len(units) > 1 else 0
    title_start = unit.first
    while title_start > search_start and _continues_title(sentence, title_start - 1):
        title_start -= 1
    title_noun = sentence.lower[unit.first - 1]
    is_plural = title_noun.endswith("s") and word_at(sentence.lower, unit.last) in ("and", ",", "&")
    may_be_title = unit.first - 1 > _find_first_word(sentence) or is_plural
    return unit.first - title_start if may_be_title and title_noun not in WORDS_NEVER_A_NAME else 0


def _continues_title(sentence: Sentence, index: int) -> bool:
    word = sentence.words[index]
    return (
        word[0].isupper()
        and len(word) > 1
        and word.isalpha()
        and sentence.starts[index + 1] == sentence.ends[index] + 1
        and sentence.lower[index] not in SENTENCE_STARTERS
    )


def _find_first_word(sentence: Sentence) -> int:
    return next((index for index, word in enumerate(sentence.words) if word[0].isalnum()), 0)


def _find_non_person_opening_sentence(units: Sequence[Unit], index: int) -> EntityReference | None:
    """Return the thing that a sentence begins with, if it may be no person, else None: "Falcon is led by Ann;
    since May it".
    """
    head_unit = units[0] if units and units[0].first <= MAX_SUBJECT_INDEX and units[0].last <= index else None
    may_be_referent = (
        head_unit is not None
        and not (head_unit.is_certain and head_unit.kind == "Person")
        and len(head_unit.entities) == 1
    )
    return (
        EntityReference(head_unit.entities[0], TITLE_CONFIDENCE)
        if head_unit is not None and may_be_referent
        else None
    )


def _begins_own_work(lower_words: list[str], index: int) -> bool:
    """Return whether a pronoun begins "her first novel"."""
    return lower_words[index] in KIN_PRONOUNS and not WORK_NOUNS.isdisjoint(
        lower_words[index + 1 : index + 5]
    )


def _is_company_description_whole(lower_words: list[str], index: int) -> bool:
    """Return whether "the company" within a sentence is a whole description, not "the company of"."""
    if (
        lower_words[index] != "the"
        or index == 0
        or index + 2 >= len(lower_words)
        or lower_words[index + 1] not in KINDS_BY_DESCRIBING_NOUN
    ):
        return False
    next_word = lower_words[index + 2]
    if (
        next_word in POSSESSIVES
        or next_word in PREPOSITIONS
        or next_word == "and"
        or not next_word[0].isalnum()
    ):
        return True
    return is_verb(next_word) and lower_words[index + 3 : index + 4] != ["by"]


def build_units(
    sentence: Sentence,
    mentions: Sequence["_Mention"],
    entities: Sequence[FoundEntity],
    tracker: AntecedentTracker,
) -> list[Unit]:
    """Return the mentions of a sentence as units of words, including its resolved pronouns and
    descriptions.
    """
    units = _list_mentioned_units(sentence, mentions, entities)
    lower_words = sentence.lower
    covered_words = {word_index for unit in units for word_index in range(unit.first, unit.last)}
    named_units = list(units)
    for index, word_count in _find_references(sentence, named_units):
        if index in covered_words or index + 1 in covered_words or index + word_count > len(lower_words):
            continue
        word, noun = lower_words[index], word_at(lower_words, index + 1)
        if word in PLURAL_PRONOUNS or noun in PAIR_NOUNS:
            people = tracker.find_people(word in PLURAL_PRONOUNS, units, sentence, index)
            if people:
                units.append(
                    Unit(index, index + word_count, list(people), "Person", True, PREVIOUS_CONFIDENCE)
                )
            continue
        units += _resolve_reference(
            sentence, units, named_units, entities, tracker, _Reference(index, word_count)
        )
    units = _drop_second_descriptions(lower_words, units, entities)
    units.sort(key=lambda unit: unit.first)
    return units


def _resolve_reference(
    sentence: Sentence,
    units: Sequence[Unit],
    named_units: Sequence[Unit],
    entities: Sequence[FoundEntity],
    tracker: AntecedentTracker,
    reference: "_Reference",
) -> list[Unit]:
    """Return the unit of a reference to one entity; [] if it is unclear."""
    index, word_count = reference
    lower_words = sentence.lower
    word, noun = lower_words[index], word_at(lower_words, index + 1)
    if (noun == "name" and EPONYM_VERBS.isdisjoint(lower_words)) or _may_owner_be_unknown_person(
        lower_words, named_units, index
    ):
        return []
    local_antecedent = (
        tracker.find_person_before(sentence, named_units, index) if word in _PEOPLE_AND_KIN_PRONOUNS else None
    )
    if word == "it" and _is_after_semicolon(lower_words, index):
        local_antecedent = _find_non_person_opening_sentence(named_units, index)
    if local_antecedent is not None and (
        owner := _find_owner_of_kin(lower_words, units, local_antecedent.entity, index)
    ):
        return [replace(owner.pronoun, first=index, last=index + word_count)] if owner.is_known else []
    units_before = [unit for unit in named_units if unit.last <= index]
    antecedent = local_antecedent or tracker.find_antecedent(
        word, noun, units_before, is_opening=not units_before
    )
    if antecedent is None:
        return []
    entity, confidence = antecedent
    kind, is_certain = entities[entity].node_type, entities[entity].is_type_certain
    return [Unit(index, index + word_count, [entity], kind, is_certain, confidence)]


def _may_owner_be_unknown_person(lower_words: list[str], units: Sequence[Unit], index: int) -> bool:
    """Return whether only "and" separates a possessive from a name that may be a person's: "Hadji Sinan and
    his brother".
    """
    return (
        lower_words[index] in KIN_PRONOUNS
        and word_at(lower_words, index - 1) == "and"
        and any(unit.last == index - 1 and unit.is_person_name and not unit.is_certain for unit in units)
    )


class _Owner(NamedTuple):
    """An earlier possessive pronoun of a sentence; `is_known`: it refers to somebody."""

    pronoun: Unit
    is_known: bool


def _find_owner_of_kin(
    lower_words: list[str], units: Sequence[Unit], kin: EntityIndex, index: int
) -> _Owner | None:
    """Return the earlier possessive whose kin an entity is, if it is the same word as the one at `index`: in
    "his father, Tom, and his mother" both are kin of one person.
    """
    kin_unit = next((unit for unit in units if kin in unit.entities and not unit.is_reference), None)
    if kin_unit is None or lower_words[index] not in KIN_PRONOUNS:
        return None
    noun = kin_unit.first - 1 - (word_at(lower_words, kin_unit.first - 1) == ",")
    owner_index = next(
        (
            word_index
            for word_index in range(noun - 1, max(-1, noun - _MAX_WORDS_OF_KIN), -1)
            if lower_words[word_index] == lower_words[index]
        ),
        None,
    )
    if owner_index is None or lower_words[noun] not in KIN_RELATION_BY_NOUN:
        return None
    pronoun = next((unit for unit in units if unit.is_reference and unit.first == owner_index), None)
    return _Owner(kin_unit if pronoun is None else pronoun, pronoun is not None)


def _drop_second_descriptions(
    lower_words: Sequence[str], units: Sequence[Unit], entities: Sequence[FoundEntity]
) -> list[Unit]:
    """Return the units without descriptions of an entity that the sentence describes by another noun.

    "The bridge for the town" is not Northgate Bridge twice. The noun of its name remains, else the first
    noun.
    """
    nouns_by_entity: dict[int, list[str]] = {}
    for unit in units:
        if unit.is_reference and lower_words[unit.first] in DEFINITE_WORDS:
            for entity in unit.entities:
                nouns_by_entity.setdefault(entity, []).append(lower_words[unit.last - 1])
    noun_by_entity = {
        entity: next((noun for noun in nouns if noun in entities[entity].name.lower().split()), nouns[0])
        for entity, nouns in nouns_by_entity.items()
    }
    return [
        unit
        for unit in units
        if not (unit.is_reference and lower_words[unit.first] in DEFINITE_WORDS)
        or all(noun_by_entity[entity] == lower_words[unit.last - 1] for entity in unit.entities)
    ]


class _Reference(NamedTuple):
    """The first word of a reference, and its number of words."""

    first_index: int
    word_count: int


def _find_references(sentence: Sentence, named_units: Sequence[Unit]) -> Iterator[_Reference]:
    """Yield the indexes and lengths of words that may refer to an earlier name."""
    lower_words = sentence.lower
    opening_index = next((word_index for word_index, word in enumerate(lower_words) if word[0].isalnum()), -1)
    # "In 2010 it bought": a date may precede the first word.
    head_index = named_units[0].first if named_units else len(lower_words)
    for index, word in enumerate(lower_words):
        if word not in _REFERENCES:
            continue
        if word == "the" and lower_words[index + 1 : index + 2] and lower_words[index + 1] in PAIR_NOUNS:
            yield _Reference(index, 2)
        elif (
            _may_refer_to_earlier_name(lower_words, index, opening_index)
            or (index < head_index and word == "it" and _is_after_opening_date(lower_words, index))
            or _is_company_description_whole(lower_words, index)
        ):
            yield _Reference(
                index, 2 if word in DEFINITE_WORDS or lower_words[index : index + 2] == _ITS_NAME else 1
            )


def _is_after_opening_date(lower_words: list[str], index: int) -> bool:
    """Return whether only a date precedes the word: "In 2010 it", "By May 2010, it"."""
    words = [word for word in lower_words[:index] if word != ","]
    return 0 < len(words) <= _MAX_DATE_LENGTH and words[-1].isdigit() and len(words[-1]) == _YEAR_DIGITS


def _begins_kinship(lower_words: list[str], index: int) -> bool:
    """Return whether a pronoun begins "his wife", "her marriage" or "his successor"."""
    return lower_words[index] in KIN_PRONOUNS | {"their"} and not _NOUNS_WITH_POSSESSOR.isdisjoint(
        lower_words[index + 1 : index + 4]
    )


def _is_after_semicolon(lower_words: list[str], index: int) -> bool:
    """Return whether only a date is between a semicolon and this word."""
    date_start = index
    while date_start > 0 and (
        lower_words[date_start - 1].isdigit() or lower_words[date_start - 1] in _DATE_WORDS
    ):
        date_start -= 1
    return date_start > 0 and lower_words[date_start - 1] == ";"


def _may_refer_to_earlier_name(lower_words: list[str], index: int, opening_index: int) -> bool:
    """Return whether a word may refer to an earlier name: a pronoun, or "the company" at the beginning."""
    if (
        lower_words[index] in PEOPLE_PRONOUNS
        or lower_words[index] == "they"
        or _begins_kinship(lower_words, index)
    ):
        return True
    if index != opening_index and not (
        lower_words[index] == "it" and _is_after_semicolon(lower_words, index)
    ):
        return False
    if (
        lower_words[index] in DEFINITE_WORDS
        and lower_words[index + 3 : index + 4] == ["by"]
        and lower_words[index + 2] not in BE
    ):
        return False  # "The company owned by Ann" is another company
    if lower_words[index] == "its" and not _NOUNS_AFTER_ITS.isdisjoint(lower_words[index + 1 : index + 3]):
        return True
    return (
        lower_words[index] in _OPENING_REFERENCES
        or _begins_own_work(lower_words, index)
        or lower_words[index : index + 2] == _ITS_NAME
    )


class _Mention(NamedTuple):
    """A range of the chunk's text that names the entity at this position."""

    start: int
    end: int
    entity: EntityIndex


class SentenceWithUnits(NamedTuple):
    """A sentence, its names and references as units, the document's topic, and the sentence as a quote."""

    sentence: Sentence
    units: list[Unit]
    topic: Unit | None
    quote: Surface


def read_sentences_with_units(
    chunk: ChunkText, entities: Sequence[FoundEntity]
) -> Iterator[SentenceWithUnits]:
    """Yield the chunk's sentences with their units, in order."""
    mentions = _list_mentions(entities)
    mention_starts = [mention.start for mention in mentions]
    title_entity = find_title_entity(chunk, entities)
    tracker = AntecedentTracker(title_entity, entities)
    topic = None
    if title_entity is not None:
        topic = Unit(
            0,
            0,
            [title_entity],
            entities[title_entity].node_type,
            entities[title_entity].is_type_certain,
            TITLE_CONFIDENCE,
        )
    for sentence in read_sentences(chunk.text):
        sentence_mentions = mentions[
            bisect_left(mention_starts, sentence.start) : bisect_right(mention_starts, sentence.end - 1)
        ]
        units = build_units(sentence, sentence_mentions, entities, tracker)
        tracker.record_sentence(sentence, units)
        start = find_start_after_list_mark(chunk.text, sentence.start, sentence.end)
        quote = Surface(chunk.text[start : sentence.end], start, sentence.end)
        yield SentenceWithUnits(sentence, units, topic, quote)


def _list_mentions(entities: Sequence[FoundEntity]) -> list[_Mention]:
    return sorted(
        _Mention(surface.start, surface.end, position)
        for position, entity in enumerate(entities)
        for surface in entity.surfaces
    )
