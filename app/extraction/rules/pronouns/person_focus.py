"""Resolve "he" and "her" to the person in focus, beyond the sentence that names them.

A person stays in focus until a sentence mentions somebody else whom the pronoun may mean (Grosz and Sidner,
"Attention, intentions, and the structure of discourse", 1986). An ambiguous pronoun is not resolved.
"""

from collections.abc import Iterator, Sequence, Set
from dataclasses import replace
from typing import NamedTuple

from app.domain.node_types import PEOPLE
from app.domain.scoring.stop_words import split_into_word_set
from app.extraction.rules.claims.units import Unit
from app.extraction.rules.english.lexicon import KIND_OF
from app.extraction.rules.english.verbless_pairs import ROLES_BY_NOUN
from app.extraction.rules.indices import EntityIndex, WordIndex
from app.extraction.rules.pronouns.antecedents import (
    FEMALE_PRONOUNS,
    MALE_PRONOUNS,
    PERSONAL_PRONOUNS,
    list_pronouns_of_person,
)
from app.extraction.rules.syntax import MIN_REFERENCE_CONFIDENCE, SUBJECT_RELATIONS, Tree
from app.extraction.shapes import FoundEntity

FOCUS_CONFIDENCE = 0.7
"""Confidence that a pronoun refers to the only person mentioned."""
MAX_SENTENCE_DISTANCE = 3
"""Maximum distance, in sentences, to the last mention of a person."""
_PERSON_ENDINGS = tuple(split_into_word_set("er or ist ian man woman person ant ent ee"))
_THING_ENDINGS = tuple(split_into_word_set("tion sion ment ity ship ism age ance ence ure ing"))
_INDEFINITE_PRONOUNS = split_into_word_set("somebody someone one")
_COMPLEMENT_RELATIONS = ("obj", "iobj", "root")


class PersonFocus:
    """The people of the last sentences of a chunk, and the pronouns used for each of them."""

    def __init__(self, entities: Sequence[FoundEntity]) -> None:
        self._entities = entities
        self._last_sentence_of_person: dict[int, int] = {}
        self._people_as_arguments: set[int] = set()
        self._pronouns_by_person: dict[int, frozenset[str]] = {}
        self._sentence_number = 0
        self._unclear_until = 0

    def clear(self) -> None:
        """Clear the focus: a skipped sentence may have mentioned anybody."""
        self._last_sentence_of_person.clear()
        self._people_as_arguments.clear()
        self._unclear_until = 0

    def replace_pronouns_of_focus(self, tree: Tree, quoted_words: Set[WordIndex]) -> Tree:
        """Return the tree with each unambiguous "he" or "her" resolved to the person in focus.

        Pronouns between quotation marks (`quoted_words`) are left alone, since another speaker uses them. No
        other person may precede the pronoun in its sentence; one may follow it only if the pronoun is in the
        sentence's subject.
        """
        pronouns = list(_list_unresolved_pronouns(tree, quoted_words))
        if not pronouns:
            return tree
        units = dict(tree.units)
        person_indexes = [index for index in tree.units if self._may_be_person(tree, index)]
        person_nouns = [
            index
            for index in range(len(tree.words))
            if index not in quoted_words and _may_subject_be_person(tree, index)
        ]
        subject_words = _list_subject_words(tree)
        for index, pronoun in pronouns:
            person = self._find_only_person_meant_by_pronoun(pronoun)
            if person is None or (index in tree.units and tree.units[index].entities != [person]):
                continue
            other_person_indexes = [
                other_index for other_index in person_indexes if tree.units[other_index].entities != [person]
            ]
            follows_other_person = any(
                other_index < index for other_index in (*other_person_indexes, *person_nouns)
            )
            if follows_other_person or (other_person_indexes and index not in subject_words):
                continue
            kind = self._entities[person].node_type
            units[index] = Unit(index, index + 1, [person], kind, True, FOCUS_CONFIDENCE)
            self._record_pronoun_of_person(person, pronoun)
        return tree if units == tree.units else replace(tree, units=units)

    def record_people(self, tree: Tree) -> None:
        """Update the focus with the people of a sentence, named or meant by a resolved pronoun."""
        self._sentence_number += 1
        for index, unit in tree.units.items():
            if (
                len(unit.entities) != 1
                or unit.max_confidence < MIN_REFERENCE_CONFIDENCE
                or index in tree.cut_positions
            ):
                if self._may_be_person(tree, index):
                    self._unclear_until = self._sentence_number + MAX_SENTENCE_DISTANCE
            elif unit.is_reference and tree.words[index].lower() in PERSONAL_PRONOUNS:
                self._last_sentence_of_person[unit.entities[0]] = self._sentence_number
                self._record_pronoun_of_person(unit.entities[0], tree.words[index].lower())
            elif self._may_be_person(tree, index):
                self._last_sentence_of_person[unit.entities[0]] = self._sentence_number
                if tree.parse.relations[index] in (*SUBJECT_RELATIONS, "obj", "iobj", "obl:agent"):
                    self._people_as_arguments.add(unit.entities[0])
        nouns = [index for index in range(len(tree.words)) if index not in tree.units]
        other_nouns = [] if self._has_person_as_subject(tree) else nouns
        if any(_is_subject_person(tree, noun) for noun in nouns) or any(
            _is_subject_person_by_complement(tree, noun) for noun in other_nouns
        ):
            self._unclear_until = self._sentence_number + MAX_SENTENCE_DISTANCE
        elif any(_may_subject_be_person(tree, noun) for noun in nouns):
            self._unclear_until = max(self._unclear_until, self._sentence_number + 1)

    def may_mean(self, pronoun: str, person: EntityIndex) -> bool:
        """Return whether a pronoun is compatible with a person's name and with the pronouns used for the
        person before.
        """
        return pronoun in self._list_known_pronouns_of_person(person)

    def _record_pronoun_of_person(self, person: EntityIndex, pronoun: str) -> None:
        self._pronouns_by_person[person] = FEMALE_PRONOUNS if pronoun in FEMALE_PRONOUNS else MALE_PRONOUNS

    def _find_only_person_meant_by_pronoun(self, pronoun: str) -> EntityIndex | None:
        """Return the only recent person that the pronoun may mean, if that person was the subject of a
        clause; else None.
        """
        if self._sentence_number < self._unclear_until:
            return None
        recent_people = [
            person
            for person, last_sentence in self._last_sentence_of_person.items()
            if self._sentence_number - last_sentence < MAX_SENTENCE_DISTANCE
        ]
        compatible_people = [person for person in recent_people if self.may_mean(pronoun, person)]
        is_only_person = (
            len(compatible_people) == 1
            and compatible_people[0] in self._people_as_arguments
            and self._is_person_entity(compatible_people[0])
        )
        return compatible_people[0] if is_only_person else None

    def _list_known_pronouns_of_person(self, person: EntityIndex) -> frozenset[str]:
        return (
            self._pronouns_by_person.get(person)
            or list_pronouns_of_person(self._entities[person].name)
            or PERSONAL_PRONOUNS
        )

    def _is_person_entity(self, entity: EntityIndex) -> bool:
        """Return whether an entity is a person, or its type is uncertain."""
        found_entity = self._entities[entity]
        return found_entity.node_type in PEOPLE or not found_entity.is_type_certain

    def _may_be_person(self, tree: Tree, index: WordIndex) -> bool:
        """Return whether a name belongs to a person, or has the form of a person's name."""
        unit = tree.units[index]
        return unit.kind in PEOPLE or (not unit.is_certain and unit.is_person_name)

    def _has_person_as_subject(self, tree: Tree) -> bool:
        """Return whether the subject of a clause is a person, by name or by a resolved pronoun."""
        return any(
            tree.parse.relations[index] in SUBJECT_RELATIONS
            and (tree.words[index].lower() in PERSONAL_PRONOUNS or self._may_be_person(tree, index))
            for index in tree.units
        )


class _UnresolvedPronoun(NamedTuple):
    """A pronoun and the index of its word."""

    word_index: WordIndex
    word: str


def _list_unresolved_pronouns(tree: Tree, quoted_words: Set[WordIndex]) -> Iterator[_UnresolvedPronoun]:
    """Yield the indexes and words of unresolved personal pronouns outside quotations."""
    for index, word in enumerate(tree.words):
        reference = tree.units.get(index)
        is_unresolved = reference is None or reference.max_confidence < MIN_REFERENCE_CONFIDENCE
        if (
            word.lower() in PERSONAL_PRONOUNS
            and is_unresolved
            and index not in quoted_words
            and tree.parse.upos[index] == "PRON"
        ):
            yield _UnresolvedPronoun(index, word.lower())


def _is_singular_noun(tree: Tree, noun: WordIndex) -> bool:
    """Return whether a word is a singular noun."""
    is_singular = tree.parse.lemmas[noun].lower() == tree.words[noun].lower()
    return is_singular and tree.parse.upos[noun] in ("NOUN", "PROPN")


def _is_singular_subject(tree: Tree, noun: WordIndex) -> bool:
    """Return whether a singular noun is the subject of a verb or copula."""
    return _is_singular_noun(tree, noun) and tree.parse.relations[noun] in (*SUBJECT_RELATIONS, "obl:agent")


def _is_subject_person(tree: Tree, noun: WordIndex) -> bool:
    """Return whether a noun in subject position denotes a person by its form: "the reporter"."""
    word = tree.words[noun].lower()
    is_person = KIND_OF.get(word) in PEOPLE or word in ROLES_BY_NOUN or word.endswith(_PERSON_ENDINGS)
    return is_person and not word.endswith(_THING_ENDINGS) and _is_singular_subject(tree, noun)


def _is_subject_person_by_complement(tree: Tree, noun: WordIndex) -> bool:
    """Return whether a clause makes its subject a person: "it sued the king", "is a king"."""
    word = tree.words[noun].lower()
    is_person = KIND_OF.get(word) in PEOPLE or word in ROLES_BY_NOUN
    return is_person and _is_singular_noun(tree, noun) and tree.parse.relations[noun] in _COMPLEMENT_RELATIONS


def _may_subject_be_person(tree: Tree, noun: WordIndex) -> bool:
    """Return whether a noun in subject position may denote a person: "a witness left", "someone left"."""
    return (
        (_is_singular_subject(tree, noun) or tree.words[noun].lower() in _INDEFINITE_PRONOUNS)
        and tree.parse.relations[noun] == "nsubj"
        and tree.parse.upos[tree.parse.heads[noun]] == "VERB"
        and not tree.words[noun].lower().endswith(_THING_ENDINGS)
    )


def _list_subject_words(tree: Tree) -> frozenset[WordIndex]:
    """Return the words of the subject of the sentence's main verb."""
    roots = [word for word in range(len(tree.words)) if tree.is_root(word)]
    return frozenset(
        index
        for root in roots
        for noun in tree.dependents(root, *SUBJECT_RELATIONS)
        if noun < root
        for index in tree.descendants(noun)
    )
