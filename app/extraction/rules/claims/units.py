"""The names of a sentence as ends of claims: in rows, as subjects, and of kinds that a relation allows."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

from app.domain.possible_ends import can_have_ends
from app.extraction.rules.english.grammar import (
    ADVERBS,
    ARTICLES,
    BE,
    CLAUSE_BOUNDARIES,
    DETERMINERS,
    FORMS_OF_HAVE,
    INDEFINITE_WORDS,
    KIN_PRONOUNS,
    NEGATIONS,
    POSSESSIVES,
    PREPOSITIONS,
    RELATIVE_PRONOUNS,
)
from app.extraction.rules.english.lexicon import KIND_OF, SUBJECT_VERBS
from app.extraction.rules.english.nations import COUNTRY_BY_ADJECTIVE
from app.extraction.rules.english.phrase_patterns import PATTERNS_BY_FIRST_WORD, PHRASE_OPENING_NOUNS
from app.extraction.rules.english.words.families import KIN_RELATION_BY_NOUN
from app.extraction.rules.english.words.value_words import MAGNITUDES
from app.extraction.rules.indices import EntityIndex, WordIndex
from app.extraction.rules.names.quoted import QUOTES
from app.extraction.rules.sentences import Sentence
from app.extraction.rules.tokens import word_at
from app.graph.validity import DatePoint, Polarity


@dataclass(slots=True)
class Unit:
    """Words `first` to `last` (exclusive) that name an entity, or several in a row ("A, B and C").

    `max_confidence`: maximum confidence of claims with this end, less than 1 for a resolved pronoun.
    `is_person_name`: it has the form of a person's name. It begins with a title of `title_length` words,
    which are no part of the name: "Town Clerk David Poole".
    """

    first: WordIndex
    last: WordIndex
    entities: list[EntityIndex]
    kind: str
    is_certain: bool
    max_confidence: float = 1.0
    is_person_name: bool = True
    title_length: int = 0

    @property
    def is_reference(self) -> bool:
        """Return whether the unit is a pronoun or a description that refers to a name."""
        return self.max_confidence < 1

    @property
    def known_kind(self) -> str | None:
        """The kind; None if it is a guess."""
        return self.kind if self.is_certain else None


@dataclass(frozen=True, slots=True)
class Claim:
    """One statement between two entities, by their indexes in the chunk's list, with its dates.

    With `replaces_earlier` it takes the place of an earlier one that the sentence does not name. It
    `is_of_neighbors` if the words between two neighboring names state it.
    """

    source: EntityIndex
    target: EntityIndex
    relation: str
    confidence: float
    polarity: Polarity = Polarity.ASSERTED
    start_date: DatePoint | None = None
    end_date: DatePoint | None = None
    replaces_earlier: bool = False
    is_of_neighbors: bool = False


# Words that also open phrases of the table ("her role in", "due to").
_NO_VERBS = ARTICLES | {"due", "also", "debut", "guest"}
_PEOPLE = frozenset({"Person"})
_YEAR = re.compile(r"1\d{3}|20\d\d")
_PLURAL_AUXILIARIES = frozenset(("are", "were", "have"))
_QUANTIFIERS = frozenset((*MAGNITUDES, *INDEFINITE_WORDS)) | (DETERMINERS - ARTICLES - {"this", "that"})
"""Words before a name for some of those who have it: "several Spartans", "a Spartan"."""
PLURAL_VERBS = frozenset(("live", "work", "reside", "own", "use", "study", "teach", "play", "lead", "manage"))
"""Verbs after several names: "Karl and Mary live in Oslo"."""
_VERSION = re.compile(r"v?\d+(?:\.\d+)+|v\d+")
# Length of "and his" in "Karl and his".
_LENGTH_OF_AND_HIS = 2
_POSSESSIVE_PRONOUNS = KIN_PRONOUNS | {"their", "its"}
_ORDINAL = re.compile(r"\d{1,3}(?:st|nd|rd|th)")
_JOINING_WORDS = (["and"], [","], [",", "and"], ["&"])
_CONTRASTING_WORDS = (
    ["not"],
    [",", "not"],
    ["and", "not"],
    [",", "and", "not"],
    ["but", "not"],
    [",", "but", "not"],
)
# Alternatives: nothing is asserted of both, but a denial applies to either.
_ALTERNATIVE_CONJUNCTIONS = (["or"], [",", "or"], ["nor"], [",", "nor"])
_DENIAL_WORDS = NEGATIONS | {"longer", "stopped", "ceased"}


def compute_kind_misfit(unit: Unit, allowed_kinds: frozenset[str] | None) -> float:
    """Return 0 if the kinds agree, a deduction if the unit's kind is a guess, 1 if they do not agree."""
    if allowed_kinds is None or unit.kind in allowed_kinds:
        return 0.0
    if allowed_kinds == _PEOPLE and not unit.is_person_name:
        return 1.0
    return 1.0 if unit.is_certain else 0.1


def claim_between_units(source: Unit, target: Unit, relation: str, confidence: float) -> list[Claim]:
    """Return the claim for each pair of the two units' entities; [] if their kinds forbid it."""
    if not can_have_ends(relation, source.known_kind, target.known_kind):
        return []
    confidence = min(confidence, source.max_confidence, target.max_confidence)
    return [
        Claim(source_entity, target_entity, relation, confidence)
        for source_entity in source.entities
        for target_entity in target.entities
        if source_entity != target_entity
    ]


# Called for every word of every sentence with two names.
@lru_cache(maxsize=8_192)
def is_verb(word: str) -> bool:
    """Return whether a word is probably a finite verb; a noun that opens a phrase ("author of") is not."""
    return (
        word in BE
        or word in FORMS_OF_HAVE
        or (word in SUBJECT_VERBS and word not in KIND_OF)
        or (
            word in PATTERNS_BY_FIRST_WORD
            and word not in PHRASE_OPENING_NOUNS
            and word not in PREPOSITIONS
            and word not in _NO_VERBS
        )
        or (word.endswith("ed") and len(word) > 4)
    )


def is_description_of_one(gap: Sequence[str]) -> bool:
    """Return whether the words behind a row of names describe its last name alone: ", a company based in", ",
    which is based in".
    """
    separator, opening, verb = (*gap[:3], "", "", "")[:3]
    is_relative_clause = opening in RELATIVE_PRONOUNS and verb.endswith("s") and is_verb(verb)
    return separator == "," and (opening in ("a", "an") or is_relative_clause)


def remove_rejected_units(sentence: Sentence, units: list[Unit]) -> list[Unit]:
    """Return the units without those contrasted with a subject: "Ann Lee, and not Bob Ray, founded it"."""
    if "not" not in sentence.lower:
        return units
    remaining_units: list[Unit] = []
    for unit in units:
        gap = sentence.lower[remaining_units[-1].last : unit.first] if remaining_units else []
        next_index = unit.last + (sentence.lower[unit.last : unit.last + 1] == [","])
        if gap and gap in _CONTRASTING_WORDS and does_verb_follow(sentence, next_index):
            remaining_units[-1] = replace(remaining_units[-1], last=unit.last)
        else:
            remaining_units.append(unit)
    return remaining_units


def does_verb_follow(sentence: Sentence, first_index: int) -> bool:
    """Return whether a verb follows directly, ignoring adverbs."""
    for word in sentence.lower[first_index : first_index + 4]:
        if is_verb(word):
            return True
        if word == "and" or (word not in ADVERBS and not word.endswith("ly")):
            return False
    return False


def is_subject_at_opening(sentence: Sentence, unit: Unit) -> bool:
    """Return whether the unit is the subject of a clause that begins with it."""
    index = unit.first - 1
    while index >= 0 and sentence.lower[index] in DETERMINERS and sentence.lower[index] != "that":
        index -= 1
    return (index < 0 or sentence.lower[index] in CLAUSE_BOUNDARIES) and does_verb_follow(sentence, unit.last)


def does_noun_after_comma_fit_name(unit: Unit, noun: str) -> bool:
    """Return whether a noun after a comma can describe the name before it.

    The name is a person, or may be one and the noun applies only to people.
    """
    if unit.kind == "Person" and unit.is_certain:
        return True
    return not unit.is_certain and unit.is_person_name and KIND_OF.get(noun) == "Person"


def is_governed_by_preposition(sentence: Sentence, unit: Unit) -> bool:
    """Return whether a preposition governs the unit, so that it is not the subject of the next verb."""
    governing_word = find_word_before_description(sentence, unit)
    return governing_word in PREPOSITIONS or governing_word == "of"


def does_name_mean_some_of_a_people(sentence: Sentence, unit: Unit) -> bool:
    """Return whether a name is that of a people, of whom some are meant: "4,000 Spartans", "Spartans were".

    A year before a name is not a number of people: "In 1998 Ann Lee died".
    """
    word_before = sentence.lower[unit.first - 1] if unit.first else ""
    is_counted = word_before in _QUANTIFIERS or (
        word_before[:1].isdigit() and not _YEAR.fullmatch(word_before)
    )
    next_words = sentence.lower[unit.last : unit.last + 1]
    return is_counted or (len(unit.entities) == 1 and not _PLURAL_AUXILIARIES.isdisjoint(next_words))


def does_name_only_state_possessor(sentence: Sentence, unit: Unit) -> bool:
    """Return whether a name only states a possessor: "Ann Lee's brother", or "her" in "her brother"."""
    is_pronoun = (
        unit.is_reference
        and unit.last == unit.first + 1
        and sentence.lower[unit.first] in _POSSESSIVE_PRONOUNS
    )
    return is_pronoun or not POSSESSIVES.isdisjoint(sentence.lower[unit.last : unit.last + 1])


def list_words_of_description_until(sentence: Sentence, subject: Unit, unit: Unit) -> list[str]:
    """Return the words from "is" to a unit within the subject's description, "X, also known as Y, is a
    sequel to"; else [].
    """
    words = sentence.lower[subject.last : unit.first]
    if words[:1] == [","]:
        closing_index = next(
            (index for index in range(1, len(words) - 1) if words[index] == "," and words[index + 1] in BE),
            -1,
        )
        words = words[closing_index + 1 :] if closing_index > 0 else []
    return words if len(words) > 2 and words[0] in BE else []


def find_word_before_description(sentence: Sentence, unit: Unit) -> str:
    """Return the word before a unit and its modifiers: "by" of "by the American rapper Big Boi"; "" if
    there is none.
    """
    index = unit.first - 1
    while index >= 0 and (
        sentence.lower[index] in DETERMINERS
        or KIND_OF.get(sentence.lower[index]) == "Person"
        or _ORDINAL.fullmatch(sentence.lower[index]) is not None
    ):
        index -= 1
        # "by American rapper and singer X"
        index -= (
            index > 0
            and sentence.lower[index] == "and"
            and KIND_OF.get(sentence.lower[index - 1]) == "Person"
        )
        index -= index > 0 and sentence.lower[index] in COUNTRY_BY_ADJECTIVE
    return word_at(sentence.lower, index)


def _can_be_coordinated(left_unit: Unit, right_unit: Unit) -> bool:
    """Return whether two units can be members of one row: of one kind, or one of them of uncertain kind."""
    return left_unit.kind == right_unit.kind or (
        not (left_unit.is_certain and right_unit.is_certain)
        and "Location" not in (left_unit.kind, right_unit.kind)
    )


def join_coordinated_units(sentence: Sentence, units: list[Unit]) -> list[Unit]:
    """Return the units with those joined by commas and "and" as one, if they are of one kind and in one
    clause.
    """
    verb_flags = _mark_words_under_verb(sentence)
    list_flags = _mark_units_before_end_of_list(sentence, units)
    joined_units: list[Unit] = []
    index = 0
    while index < len(units):
        row_members = [units[index]]
        while index + 1 < len(units):
            next_unit = units[index + 1]
            gap = sentence.lower[row_members[-1].last : next_unit.first]
            is_denied = gap in _ALTERNATIVE_CONJUNCTIONS and not _DENIAL_WORDS.isdisjoint(
                sentence.lower[: row_members[0].first]
            )
            if not (is_denied or gap in _JOINING_WORDS) or not _can_be_coordinated(row_members[0], next_unit):
                break
            # "Her father is Karl and her mother is": "her" and Karl are not a row.
            if _is_other_owner(sentence, next_unit, row_members):
                break
            # 'Rose in "Better Off Ted" and Ann Lee': a quoted title and an unquoted name are not a row.
            if is_quoted_title(sentence, row_members[0]) != is_quoted_title(sentence, next_unit):
                break
            if _are_separated_by_comma(gap, is_pair=len(row_members) == 1, is_in_list=list_flags[index]):
                break
            # "A made B, and C made D": C is the subject of the next verb.
            if (
                verb_flags[row_members[0].first]
                and gap != ["&"]
                and does_verb_follow(sentence, next_unit.last)
            ):
                break
            row_members.append(next_unit)
            index += 1
        first_unit = row_members[0]
        certain_unit = next((unit for unit in row_members if unit.is_certain), first_unit)
        joined_units.append(
            Unit(
                first_unit.first,
                row_members[-1].last,
                list(dict.fromkeys(entity for unit in row_members for entity in unit.entities)),
                certain_unit.kind,
                certain_unit.is_certain,
                min(unit.max_confidence for unit in row_members),
                first_unit.is_person_name,
            )
        )
        index += 1
    return joined_units


def _are_separated_by_comma(gap: list[str], *, is_pair: bool, is_in_list: bool) -> bool:
    """Return whether a comma separates two names: "Paris, France" is an address, and a row of two has no
    comma before its "and". "Britain, France and Spain" is a list.
    """
    return not is_in_list and (gap == [","] or (is_pair and gap == [",", "and"]))


_MARKS_AROUND_TITLE = QUOTES | frozenset("'‘’")


def is_quoted_title(sentence: Sentence, unit: Unit) -> bool:
    """Return whether a name is a quoted title: quotation marks are its last word, or around it."""
    last_word, words_around = (
        word_at(sentence.lower, unit.last - 1),
        (word_at(sentence.lower, unit.first - 1), word_at(sentence.lower, unit.last)),
    )
    return last_word in QUOTES or all(word in _MARKS_AROUND_TITLE for word in words_around)


def _is_other_owner(sentence: Sentence, unit: Unit, row_members: Sequence[Unit]) -> bool:
    """Return whether a unit is "his" or "their", and refers to other entities than the group."""
    row_entities = {entity for member in row_members for entity in member.entities}
    return (
        unit.is_reference
        and sentence.lower[unit.first] in _POSSESSIVE_PRONOUNS
        and not row_entities.issuperset(unit.entities)
    )


def join_kin_before_verb(sentence: Sentence, units: list[Unit]) -> list[Unit]:
    """Return the units with "Karl and his wife Mary" as one if a verb follows: both are its subject."""
    joined_units: list[Unit] = []
    for unit in units:
        last_unit = joined_units[-1] if joined_units else None
        gap = sentence.lower[last_unit.last : unit.first] if last_unit is not None else []
        if (
            last_unit is not None
            and last_unit.last - last_unit.first > _LENGTH_OF_AND_HIS
            and sentence.lower[last_unit.last - 2 : last_unit.last - 1] == ["and"]
            and sentence.lower[last_unit.last - 1] in _POSSESSIVE_PRONOUNS
            and gap
            and gap[-1] in KIN_RELATION_BY_NOUN
            and unit.kind == "Person"
            and (does_verb_follow(sentence, unit.last) or word_at(sentence.lower, unit.last) in PLURAL_VERBS)
        ):
            entities = list(dict.fromkeys((*last_unit.entities, *unit.entities)))
            joined_units[-1] = replace(
                last_unit, last=unit.last, entities=entities, max_confidence=unit.max_confidence
            )
        else:
            joined_units.append(unit)
    return joined_units


def _mark_words_under_verb(sentence: Sentence) -> list[bool]:
    """Return, for each word, whether a verb precedes it in its part of the sentence."""
    verb_flags: list[bool] = []
    is_after_verb = False
    for word in sentence.lower:
        verb_flags.append(is_after_verb)
        is_after_verb = (is_after_verb or is_verb(word)) and word not in (";", ":")
    return verb_flags


def _mark_units_before_end_of_list(sentence: Sentence, units: list[Unit]) -> list[bool]:
    """Return, for each unit, whether it and the next ones are joined by commas and finally by "and"."""
    list_flags = [False] * len(units)
    for index in range(len(units) - 2, -1, -1):
        gap = sentence.lower[units[index].last : units[index + 1].first]
        if units[index].kind == "Location" and units[index + 1].kind != "Location":
            continue
        if gap in (["and"], [",", "and"], ["&"], [",", "and", "the"], ["and", "the"]):
            list_flags[index] = True
        elif gap == [","]:
            list_flags[index] = list_flags[index + 1]
            if not list_flags[index] and units[index].kind != "Location":
                # "A, B, C and others": the last member may not be a name.
                next_index = units[index + 1].last
                list_flags[index] = sentence.lower[next_index : next_index + 2] in (
                    ["and", "others"],
                    ["and", "colleagues"],
                )
    return list_flags


class LineWithNumberedNames(NamedTuple):
    """A sentence in lower case with a number for each name, "@0 was replaced by @1", and for each of its
    words the index in the sentence.
    """

    line: str
    word_indexes: list[int]


def write_sentence_with_numbered_names(sentence: Sentence, units: Sequence[Unit]) -> LineWithNumberedNames:
    """Return the sentence with a number for each name, and the sentence's length as the last index."""
    words: list[str] = []
    word_indexes: list[int] = []

    def add_words(first_index: int, end_index: int) -> None:
        # "Python 3.8 was dropped": the version is part of the name.
        first_index += bool(
            words and first_index < end_index and _VERSION.fullmatch(sentence.lower[first_index])
        )
        # A word of the text such as "root@0" must not match the mark of a name.
        words.extend(word.replace("@", "＠") for word in sentence.lower[first_index:end_index])
        word_indexes.extend(range(first_index, end_index))

    written_end = 0
    for unit_number, unit in enumerate(units):
        add_words(written_end, unit.first)
        # "Chair of the Harbour Trust": the article is not part of the name.
        if words[-1:] == ["the"] and unit.first > written_end:
            words.pop()
            word_indexes.pop()
        words.append(f"@{unit_number}")
        word_indexes.append(unit.first)
        written_end = unit.last
    add_words(written_end, len(sentence.lower))
    return LineWithNumberedNames(" ".join(words) + " ", [*word_indexes, len(sentence.lower)])
