"""The words of the registry of relation types the other way round: from a word to the relations it states."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache

from app.domain.relation_types import RELATION_TYPE_BY_NAME, RELATION_TYPES


@dataclass(frozen=True, slots=True)
class StatedRelation:
    """A relation type as words or a column state it.

    `is_reversed` says that the subject of the words, or the row of the column, is the relation's target.
    `value_kind` is the kind of a column's values, "" if the header does not show it.
    """

    relation: str
    is_reversed: bool = False
    value_kind: str = ""


@cache
def load_relations_by_phrase() -> Mapping[str, frozenset[StatedRelation]]:
    """Return the relations that a phrase in snake case ("managed_by") states of its subject."""
    relations_by_phrase: dict[str, set[StatedRelation]] = {}
    for relation_type in RELATION_TYPES:
        phrases = [(phrase, False) for phrase in (relation_type.name, *relation_type.synonyms.split())]
        phrases += [(phrase, True) for phrase in relation_type.inverses.split()]
        for wording in relation_type.wordings:
            for wording_words in wording.words:
                phrase = wording_words.replace(" ", "_")
                suffixes = ("_in", "_at") if wording.states_location else ("",)
                phrases += [(f"{phrase}{preposition}", wording.is_reversed) for preposition in suffixes]
                if wording.transitive:
                    phrases.append((f"{phrase}_by", not wording.is_reversed))
        for phrase, is_reversed in phrases:
            relations_by_phrase.setdefault(phrase, set()).add(StatedRelation(relation_type.name, is_reversed))
    return {phrase: frozenset(stated_relations) for phrase, stated_relations in relations_by_phrase.items()}


def list_relations_stated_by(phrases: Iterable[str]) -> set[str]:
    """Return the relation types that phrases in snake case state, in either direction: "acquired" `owns`."""
    relations_by_phrase = load_relations_by_phrase()
    return {
        stated_relation.relation
        for phrase in phrases
        for stated_relation in relations_by_phrase.get(phrase, ())
    }


def add_relations_that_end_each_other(relations: Iterable[str]) -> set[str]:
    """Return the relation types and those that say nearly the same: each ends claims of the other, as being
    located and having headquarters somewhere do.
    """
    known_relations = set(relations)
    return known_relations | {
        other
        for relation in known_relations
        if relation in RELATION_TYPE_BY_NAME
        for other in RELATION_TYPE_BY_NAME[relation].ended_by
        if relation in RELATION_TYPE_BY_NAME[other].ended_by
    }


@cache
def load_relations_by_header() -> Mapping[str, frozenset[StatedRelation]]:
    """Return the relations that a column with this header in snake case may state of its row."""
    relations_by_header_word: dict[str, set[StatedRelation]] = {}
    for relation_type in RELATION_TYPES:
        for header in relation_type.headers:
            for header_word in header.header_words.split():
                stated_relation = StatedRelation(relation_type.name, header.is_reversed, header.value_kind)
                relations_by_header_word.setdefault(header_word, set()).add(stated_relation)
    return {
        header_word: frozenset(stated_relations)
        for header_word, stated_relations in relations_by_header_word.items()
    }


@cache
def load_kinds_by_interrogative() -> Mapping[str, str]:
    """Return the kind of node that an interrogative asks for, by the registry's own questions: "where" a
    Location; none for one that asks for several kinds.
    """
    kinds_by_interrogative: dict[str, set[str]] = {}
    for relation_type in RELATION_TYPES:
        if not relation_type.question:
            continue
        asks_source = "{end}" in relation_type.question
        allowed_kinds = relation_type.ends.sources if asks_source else relation_type.ends.targets
        header_kinds = {
            header.value_kind
            for header in relation_type.headers
            if header.value_kind and header.is_reversed == asks_source
        }
        kinds_by_interrogative.setdefault(relation_type.question.split()[0].lower(), set()).update(
            allowed_kinds or header_kinds
        )
    return {word: next(iter(kinds)) for word, kinds in kinds_by_interrogative.items() if len(kinds) == 1}


@cache
def are_relations_alike_in_words(relation: str, other_relation: str) -> bool:
    """Return whether two relations are the same, or the same words before a place state either: "based in"
    says where somebody lives as well as where something is.
    """
    return relation == other_relation or any(
        set(first_wording.words) & set(second_wording.words)
        for first_wording in RELATION_TYPE_BY_NAME[relation].wordings
        for second_wording in RELATION_TYPE_BY_NAME[other_relation].wordings
        if first_wording.states_location and second_wording.states_location
    )
