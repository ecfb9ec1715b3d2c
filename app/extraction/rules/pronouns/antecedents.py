"""Antecedents of pronouns and descriptions among the entities that a chunk has named so far."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import dropwhile, pairwise, takewhile
from typing import NamedTuple

from app.domain.node_types import GROUPS, IMPERSONAL_TYPES, PEOPLE
from app.domain.scoring.stop_words import split_into_word_set
from app.extraction.rules.claims.suppositions import find_retraction
from app.extraction.rules.claims.units import Unit, is_verb
from app.extraction.rules.english.gazetteers import FIRST_NAMES_OF_MEN, FIRST_NAMES_OF_WOMEN
from app.extraction.rules.english.grammar import (
    ADVERBS,
    ARTICLES,
    BE,
    FORMS_OF_HAVE,
    KIN_PRONOUNS,
    PEOPLE_PRONOUNS,
    PREPOSITIONS,
)
from app.extraction.rules.english.relation_ends import KINDS_BY_DESCRIBING_NOUN
from app.extraction.rules.english.words.families import COUPLING_WORDS
from app.extraction.rules.english.words.gender_titles import TITLES_OF_MEN, TITLES_OF_WOMEN
from app.extraction.rules.indices import EntityIndex
from app.extraction.rules.names.quoted import QUOTES
from app.extraction.rules.sentences import Sentence
from app.extraction.shapes import FoundEntity

# A resolved pronoun is a guess: near the threshold, and below every explicit name.
TITLE_CONFIDENCE = 0.6
PREVIOUS_CONFIDENCE = 0.55
DEFINITE_WORDS = frozenset(("the", "this"))
PLURAL_PRONOUNS = frozenset(("they", "their"))
FEMALE_PRONOUNS = frozenset(("she", "her", "hers", "herself"))
MALE_PRONOUNS = frozenset(("he", "his", "him", "himself"))
PERSONAL_PRONOUNS = FEMALE_PRONOUNS | MALE_PRONOUNS
_PRONOUNS_OF_SEXES = (FEMALE_PRONOUNS, MALE_PRONOUNS)
MAX_SUBJECT_INDEX = 3
"""Maximum index of the name that is the subject of a sentence."""
# Maximum number of words between a name and its describing noun: "is a 2010 British".
_MAX_WORDS_TO_DESCRIPTION = 8
_COPULAS = split_into_word_set("became becomes remained remains")
_RELATIVE_WORDS = split_into_word_set("that which who where whose")
# Maximum number of words between two names that act together.
_MAX_WORDS_BETWEEN_PARTNERS = 8
_PAIR_SIZE = 2
# Maximum number of words of a full name of a person that the rules do not know for one.
_MAX_FULL_NAME_LENGTH = 3
# Words before "they" within a sentence; "music that they both enjoyed" is still about the music.
_WORDS_BEFORE_THEY = split_into_word_set("and but , ; :")
# Nouns for companies of every kind, but not for a school or a band.
_NOUNS_OF_ANY_FIRM = split_into_word_set("company firm organization organisation")
_NOUNS_OF_POSSIBLE_FIRMS = split_into_word_set("platform project product")
_NOUNS_OF_NO_FIRM = split_into_word_set("""
    university college school hospital museum party club band team church army navy ministry government
    council parliament senate court union newspaper magazine group orchestra choir trio quartet duo
""")


@lru_cache(maxsize=8_192)
def list_pronouns_of_person(name: str) -> frozenset[str] | None:
    """Return the pronouns compatible with a person's name; None if the name is not conclusive."""
    for word in name.lower().replace(".", "").split()[:2]:
        if word in TITLES_OF_WOMEN or word in FIRST_NAMES_OF_WOMEN:
            return FEMALE_PRONOUNS
        if word in TITLES_OF_MEN or word in FIRST_NAMES_OF_MEN:
            return MALE_PRONOUNS
        if word not in ("dr", "prof", "professor", "president", "senator"):
            return None
    return None


def _find_pronouns_of_unnamed_owner(opening_word: str, first_unit: Unit) -> frozenset[str] | None:
    """Return the pronouns of the owner with whom a sentence begins ("His doctor"), if no name is known."""
    is_resolved = first_unit.is_reference and first_unit.first == 0
    if opening_word not in KIN_PRONOUNS or is_resolved:
        return None
    return next(pronouns for pronouns in _PRONOUNS_OF_SEXES if opening_word in pronouns)


def _is_name_modifier_of_noun(unit: Unit, noun_index: int, noun: str) -> bool:
    """Return whether a name right before a noun is of another kind: "the Danish bank" is not Denmark."""
    return (
        unit.last == noun_index
        and unit.known_kind is not None
        and unit.known_kind not in KINDS_BY_DESCRIBING_NOUN[noun]
    )


def _is_described_by_noun(lower_words: Sequence[str], name_end: int, noun_index: int) -> bool:
    """Return whether a noun says what the name before it is: "the Glass Hill film", "Glass Hill is a 2010
    film", "Glass Hill, a film". Of "moved to Leeds and bought a house" it does not.
    """
    gap = [word for word in lower_words[name_end:noun_index] if word not in QUOTES]
    if not gap:
        return True
    opening, *words = gap
    if opening in BE or opening in _COPULAS:
        words = list(dropwhile(lambda word: word in ADVERBS, words))
    elif opening not in (",", "("):
        return False
    if (
        len(gap) > _MAX_WORDS_TO_DESCRIPTION
        or words[:1] not in (["a"], ["an"], ["the"])
        or not (PREPOSITIONS | ARTICLES).isdisjoint(words[1:])
    ):
        return False
    # "When he came to Leeds, the house was sold": no apposition, since it has a verb of its own.
    words_of_clause = takewhile(
        lambda word: word[0].isalnum() and word not in _RELATIVE_WORDS, lower_words[noun_index + 1 :]
    )
    return opening != "," or words[0] != "the" or not any(map(is_verb, words_of_clause))


class EntityReference(NamedTuple):
    """The entity that a pronoun or description refers to, and the maximum confidence of claims by it."""

    entity: EntityIndex
    max_confidence: float


@dataclass(slots=True)
class AntecedentTracker:
    """The entities that the sentences so far have named: `previous_subject` is the subject of the last one,
    `last_sentence_entities` all its names, `group` the people who act together, `description_nouns` the nouns
    applied to each entity.
    """

    title_entity: EntityIndex | None
    entities: Sequence[FoundEntity]
    previous_subject: EntityIndex | None = None
    last_sentence_entities: tuple[EntityIndex, ...] = ()
    may_stay_subject: bool = True
    is_paired: bool = False
    group: tuple[EntityIndex, ...] = ()
    is_group_recent: bool = False
    all_named_entities: dict[EntityIndex, None] = field(default_factory=dict)
    description_nouns: dict[EntityIndex, set[str]] = field(default_factory=dict)
    unnamed_pronouns: frozenset[str] | None = None
    """The pronouns of somebody whom the last sentence mentions, and does not name, as whose it begins: "His
    doctor, Jonas Feld, wrote. His daughter" need not be Feld's.
    """

    def record_sentence(self, sentence: Sentence, units: Sequence[Unit]) -> None:
        """Update the state with a sentence; its first unit is its subject if it is at the beginning."""
        if not units:
            return
        first_unit = units[0]
        correction = find_retraction(sentence.lower)
        is_at_head = first_unit.first <= MAX_SUBJECT_INDEX + (0 if correction is None else correction.first)
        head_entity = first_unit.entities[0] if is_at_head and len(first_unit.entities) == 1 else None
        next_words = [
            word for word in sentence.lower[first_unit.last : first_unit.last + 2] if word not in QUOTES
        ][:1]
        # "Ann is the boss of Eva. She": Ann remains the subject; "Ann hired Eva. She" is ambiguous.
        self.may_stay_subject = (
            first_unit.is_reference
            or next_words in ([","], ["("])
            or not (BE | FORMS_OF_HAVE).isdisjoint(next_words)
        )
        self.previous_subject = head_entity
        self.last_sentence_entities = tuple(
            dict.fromkeys(entity for unit in units for entity in unit.entities)
        )
        # "Acme and Zeta merged. The company": neither alone is the subject.
        is_paired = len(units) > 1 and sentence.lower[first_unit.last : units[1].first] == ["and"]
        if is_paired and first_unit.kind != "Person":
            self.previous_subject, self.may_stay_subject = None, False
        self.is_paired = is_paired
        self._record_people_who_act_together(sentence, units)
        for unit in units:
            if not unit.is_reference:
                self.all_named_entities.update(dict.fromkeys(unit.entities))
        self._record_noun_that_describes_entity(sentence, units)
        self.unnamed_pronouns = _find_pronouns_of_unnamed_owner(sentence.lower[0], first_unit)

    def _record_people_who_act_together(self, sentence: Sentence, units: Sequence[Unit]) -> None:
        """Store the people who act together in this sentence, or keep the previous group if it names
        nobody else.
        """
        people = [unit for unit in units if self._is_person(unit)]
        entities = tuple(dict.fromkeys(entity for unit in people for entity in unit.entities))
        if set(entities) <= set(self.group) and self.group:
            self.is_group_recent = any(len(unit.entities) > 1 for unit in people) or len(entities) == len(
                self.group
            )
            return
        self.group, self.is_group_recent = (), False
        if len(entities) > 1 and people[0] is units[0] and _do_people_act_together(sentence, people):
            self.group, self.is_group_recent = entities, True

    def _is_person(self, unit: Unit) -> bool:
        return unit.kind == "Person" and unit.is_certain

    def _record_noun_that_describes_entity(self, sentence: Sentence, units: Sequence[Unit]) -> None:
        """Record that "Glass Hill is a 2010 film" calls Glass Hill a film."""
        for index, word in enumerate(sentence.lower):
            if word not in KINDS_BY_DESCRIBING_NOUN:
                continue
            unit_before = next(
                (
                    unit
                    for unit in reversed(units)
                    if unit.last <= index and not _is_name_modifier_of_noun(unit, index, word)
                ),
                None,
            )
            next_unit = next((unit for unit in units if unit.first == index + 1), None)
            unit = next_unit or unit_before
            is_described = unit is next_unit or (
                unit_before is not None and _is_described_by_noun(sentence.lower, unit_before.last, index)
            )
            if unit is not None and is_described and len(unit.entities) == 1:
                self.description_nouns.setdefault(unit.entities[0], set()).add(word)

    def find_antecedent(
        self, word: str, noun: str, units_before: Sequence[Unit], *, is_opening: bool
    ) -> EntityReference | None:
        """Return the entity of a pronoun or a description such as "the company", and the maximum confidence
        of claims about it; None if it is ambiguous.

        `units_before` are the names of the sentence before the word; `is_opening` is True at the beginning of
        the sentence.
        """
        if noun == "name":
            # "The name comes from" is about the name of the document's topic.
            return None if self.title_entity is None else EntityReference(self.title_entity, TITLE_CONFIDENCE)
        if word in PEOPLE_PRONOUNS or word in KIN_PRONOUNS:
            return self._find_person(word, units_before)
        if word in ("it", "its"):
            return self._find_only_possible_thing()
        if word in DEFINITE_WORDS and noun in KINDS_BY_DESCRIBING_NOUN:
            return self._find_thing_by_noun(noun, units_before, is_opening=is_opening)
        return None

    def find_person_before(
        self, sentence: Sentence, units: Sequence[Unit], index: int
    ) -> EntityReference | None:
        """Return the person of the same sentence, before the word at `index`, that the word refers to,
        with its maximum confidence; else None.
        """
        word = sentence.lower[index]
        person_entities = [
            unit.entities[0]
            for unit in units
            if unit.first < index
            and self._is_person(unit)
            and not unit.is_reference
            and len(unit.entities) == 1
        ]
        nearest_person = self._find_person_joined_to_word(sentence, units, index)
        if nearest_person is not None:
            return EntityReference(nearest_person, TITLE_CONFIDENCE)
        candidates = [person for person in person_entities if self._agrees_in_gender(person, word)]
        if not candidates:
            return None
        first_candidate = candidates[0]
        if first_candidate == person_entities[0] or len(set(candidates)) == 1:
            return EntityReference(first_candidate, TITLE_CONFIDENCE)
        return None

    def _find_person_joined_to_word(
        self, sentence: Sentence, units: Sequence[Unit], index: int
    ) -> int | None:
        """Return the person that only "and" or a comma separates from the word at `index`, if it can mean
        that person: "Bob and his wife", "Ann Lee plays Eva Berg, her husband".
        """
        unit = next((unit for unit in units if unit.last == index - 1 and self._is_person(unit)), None)
        if unit is None or not self._agrees_in_gender(unit.entities[0], sentence.lower[index]):
            return None
        is_one_name = not unit.is_reference and len(unit.entities) == 1
        separator = sentence.lower[index - 1]
        return unit.entities[0] if separator == "and" or (separator == "," and is_one_name) else None

    def _agrees_in_gender(self, entity: EntityIndex, pronoun: str) -> bool:
        """Return whether a person's name is compatible with the pronoun."""
        compatible_pronouns = list_pronouns_of_person(self.entities[entity].name)
        return compatible_pronouns is None or pronoun in compatible_pronouns

    def _may_refer_to(self, entity: EntityIndex, pronoun: str) -> bool:
        """Return whether an entity is a person whose name is compatible with the pronoun."""
        return self._fits_kinds(entity, PEOPLE) and self._agrees_in_gender(entity, pronoun)

    def _may_entity_of_unknown_kind_be_person(self, entity: EntityIndex) -> bool:
        """Return whether the kind of an entity is unknown and its name has the form of a full name."""
        found_entity = self.entities[entity]
        words = found_entity.name.split()
        looks_like_full_name = 1 < len(words) <= _MAX_FULL_NAME_LENGTH and all(
            word[0].isupper() for word in words
        )
        return looks_like_full_name and not found_entity.is_type_certain

    def _has_certain_gender(self, entity: EntityIndex | None, pronoun: str) -> bool:
        """Return whether an entity is a person whose name shows that the pronoun is used for it."""
        if entity is None or not self._fits_kinds(entity, PEOPLE):
            return False
        return pronoun in (list_pronouns_of_person(self.entities[entity].name) or ())

    def _fits_kinds(self, entity: EntityIndex, kinds: frozenset[str] | None) -> bool:
        """Return whether the entity is certainly of one of the kinds.

        With None, return whether it may be something other than a person.
        """
        found_entity = self.entities[entity]
        if kinds is None:
            return not (found_entity.is_type_certain and found_entity.node_type == "Person")
        return found_entity.node_type in kinds and found_entity.is_type_certain

    def _find_person(self, pronoun: str, units_before: Sequence[Unit]) -> EntityReference | None:
        if self.title_entity is not None and self._may_refer_to(self.title_entity, pronoun):
            # The title's "Ann Lee" need not be the subject of the previous sentence.
            is_previous_certain = self.previous_subject not in (
                None,
                self.title_entity,
            ) and self._has_certain_gender(self.previous_subject, pronoun)
            means_other_person = is_previous_certain and not self._has_certain_gender(
                self.title_entity, pronoun
            )
            return None if means_other_person else EntityReference(self.title_entity, TITLE_CONFIDENCE)
        # "Poul Christensen, the first boiler, retired; his successor": the subject may be a person.
        subject = units_before[0].entities[0] if units_before else self.previous_subject
        if subject is not None and self._may_entity_of_unknown_kind_be_person(subject):
            return None
        return self._find_previous_person(pronoun)

    def _find_previous_person(self, pronoun: str) -> EntityReference | None:
        """Return the person of the previous sentence that the pronoun refers to, else the only person so
        far.
        """
        if self.unnamed_pronouns is not None and pronoun in self.unnamed_pronouns:
            return None
        previous_entity = self.previous_subject
        other_candidates = self._list_others_of_last_sentence(pronoun)
        if previous_entity is not None and self._may_refer_to(previous_entity, pronoun):
            is_certain = self._has_certain_gender(previous_entity, pronoun)
            rivals = [
                candidate
                for candidate in other_candidates
                if not is_certain or self._has_certain_gender(candidate, pronoun)
            ]
            return (
                None
                if rivals and not self.may_stay_subject
                else EntityReference(previous_entity, PREVIOUS_CONFIDENCE)
            )
        other_candidates = other_candidates or self._list_people_named_before(pronoun)
        return (
            EntityReference(other_candidates[0], PREVIOUS_CONFIDENCE) if len(other_candidates) == 1 else None
        )

    def _list_others_of_last_sentence(self, pronoun: str) -> list[EntityIndex]:
        """Return the people of the last sentence that a pronoun may mean, apart from its subject.

        "Max Holm served General Qasim. Her mother": a name that tells no sex need not be hers.
        """
        subject = self.previous_subject
        excludes_subject = (
            subject is not None
            and self._fits_kinds(subject, PEOPLE)
            and not self._agrees_in_gender(subject, pronoun)
        )
        may_mean = self._has_certain_gender if excludes_subject else self._may_refer_to
        return [
            candidate
            for candidate in self.last_sentence_entities
            if candidate != subject and may_mean(candidate, pronoun)
        ]

    def _list_people_named_before(self, pronoun: str) -> list[EntityIndex]:
        """Return the people so far whose names show that the pronoun is used for them; [] if the last
        sentence may name another one: "Mohamed and his father will travel. His father".
        """
        if not all(self.entities[candidate].is_type_certain for candidate in self.last_sentence_entities):
            return []
        return [
            candidate for candidate in self.all_named_entities if self._has_certain_gender(candidate, pronoun)
        ]

    def _find_only_possible_thing(self) -> EntityReference | None:
        title_entity, previous_entity = self.title_entity, self.previous_subject
        other_candidates = [
            candidate
            for candidate in self.last_sentence_entities
            if candidate not in (previous_entity, title_entity)
            and self._fits_kinds(candidate, None)
            and self.entities[candidate].node_type != "Location"
        ]
        # "In 1899 Acme founded the Zeta Trust. It": the topic is not the only thing that it may mean.
        if (
            title_entity is not None
            and self._fits_kinds(title_entity, None)
            and (previous_entity == title_entity or (previous_entity is None and not other_candidates))
        ):
            return EntityReference(title_entity, TITLE_CONFIDENCE)
        if previous_entity is not None and self._fits_kinds(previous_entity, None):
            return (
                None
                if other_candidates and not self.may_stay_subject
                else EntityReference(previous_entity, PREVIOUS_CONFIDENCE)
            )
        return (
            EntityReference(other_candidates[0], PREVIOUS_CONFIDENCE)
            if len(other_candidates) == 1 and previous_entity is not None
            else None
        )

    def _find_thing_by_noun(
        self, noun: str, units_before: Sequence[Unit], *, is_opening: bool
    ) -> EntityReference | None:
        """Return the entity of a description such as "the company", with its maximum confidence: the
        document's topic, the only such entity in the previous sentence, or the only one so far.

        None if its own sentence names another one.
        """
        kinds = KINDS_BY_DESCRIBING_NOUN[noun]
        # "Acme created Falcon. The database" is not about a company.
        kinds = (
            kinds - GROUPS if kinds == IMPERSONAL_TYPES and noun not in _NOUNS_OF_POSSIBLE_FIRMS else kinds
        )
        if any(self._fits_kinds(entity, kinds) for unit in units_before for entity in unit.entities):
            return None
        title_entity = self.title_entity
        if title_entity is not None and self._fits_kinds(title_entity, kinds):
            # "Tolman Bridge stands here. The bridge": it may be another than the document's topic.
            rivals = (
                entity
                for entity in self.all_named_entities
                if entity != title_entity and self.entities[entity].name.lower().endswith(f" {noun}")
            )
            return EntityReference(title_entity, TITLE_CONFIDENCE) if next(rivals, None) is None else None
        for candidates in (self.last_sentence_entities, tuple(self.all_named_entities)):
            fitting_entities = [candidate for candidate in candidates if self._fits_kinds(candidate, kinds)]
            if fitting_entities:
                is_pair_ambiguous = self.is_paired and candidates is self.last_sentence_entities
                return self._choose_only_entity_of_noun(
                    fitting_entities,
                    noun,
                    is_opening=is_opening and not is_pair_ambiguous,
                    may_decide_by_noun=not is_pair_ambiguous,
                )
        return None

    def _choose_only_entity_of_noun(
        self, candidates: Sequence[int], noun: str, *, is_opening: bool, may_decide_by_noun: bool
    ) -> EntityReference | None:
        """Return the only entity described by the noun, or at the beginning of a sentence the previous
        subject; else None.
        """
        described_entities = [candidate for candidate in candidates if self._does_noun_apply(candidate, noun)]
        if len(described_entities) == 1 and may_decide_by_noun:
            return EntityReference(described_entities[0], PREVIOUS_CONFIDENCE)
        previous_entity = self.previous_subject
        if (
            previous_entity is not None
            and is_opening
            and previous_entity in candidates
            and (len(candidates) == 1 or self.may_stay_subject)
        ):
            return EntityReference(previous_entity, PREVIOUS_CONFIDENCE)
        return None

    def _does_noun_apply(self, entity: EntityIndex, noun: str) -> bool:
        """Return whether the noun applies to an entity: by its name, by an earlier description, or because
        it applies to any company.
        """
        nouns = self.description_nouns.get(entity, set())
        words = set(self.entities[entity].name.lower().split())
        if noun in nouns or noun in words:
            return True
        return (
            noun in _NOUNS_OF_ANY_FIRM
            and KINDS_BY_DESCRIBING_NOUN[noun] == GROUPS
            and _NOUNS_OF_NO_FIRM.isdisjoint(nouns | words)
        )

    def find_people(
        self, refers_by_they: bool, units: Sequence[Unit], sentence: Sentence, index: int
    ) -> tuple[int, ...]:
        """Return the people to whom "they", or with `refers_by_they` False "the couple", refers; () if it is
        ambiguous.
        """
        units_before = sorted((unit for unit in units if unit.last <= index), key=lambda unit: unit.first)
        people = [unit for unit in units_before if self._is_person(unit)]
        people_of_sentence = tuple(dict.fromkeys(entity for unit in people for entity in unit.entities))
        if len(people_of_sentence) > 1:
            may_start_clause = (
                not refers_by_they
                or index == 0
                or sentence.lower[index] == "their"
                or sentence.lower[index - 1] in _WORDS_BEFORE_THEY
            )
            do_act_together = may_start_clause and _do_people_act_together(sentence, people)
            return (
                people_of_sentence
                if do_act_together and (refers_by_they or len(people_of_sentence) == _PAIR_SIZE)
                else ()
            )
        has_rival_before = any(unit.kind == "Organization" for unit in units_before) or not set(
            people_of_sentence
        ) <= set(self.group)
        return () if has_rival_before else self._find_people_before(refers_by_they)

    def _find_people_before(self, refers_by_they: bool) -> tuple[int, ...]:
        """Return the people of the previous sentences; for "they" those of the last one only."""
        return (
            self.group
            if self.is_group_recent or (not refers_by_they and len(self.group) == _PAIR_SIZE)
            else ()
        )


def _do_people_act_together(sentence: Sentence, people: Sequence[Unit]) -> bool:
    """Return whether the words between people make them act together: "Ann and Bob", "Ann married Bob"."""
    for left_unit, right_unit in pairwise(people):
        gap = sentence.lower[left_unit.last : right_unit.first]
        is_last = right_unit is people[-1]
        if (
            len(gap) > _MAX_WORDS_BETWEEN_PARTNERS
            or (is_last and COUPLING_WORDS.isdisjoint(gap))
            or (not is_last and gap not in ([","], ["and"]))
        ):
            # A pronoun between them refers to one of them: "Ann and her husband Bob".
            if left_unit.is_reference or right_unit.is_reference:
                continue
            return False
    return True
