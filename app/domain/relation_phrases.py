"""The words of the registry of relation types the other way round: from a word to the relations it states."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from app.domain.relation_types import BY_NAME, RELATION_TYPES


@dataclass(frozen=True, slots=True)
class StatedRelation:
    """A relation type as words or a column state it.

    `is_reversed` says that the subject of the words, or the row of the column, is the relation's target.
    `value` is the kind of a column's values, "" if the header does not tell.
    """

    relation: str
    is_reversed: bool = False
    value: str = ""


@cache
def load_relations_by_phrase() -> Mapping[str, frozenset[StatedRelation]]:
    """Return the relations that a phrase in snake case ("managed_by") states of its subject."""
    relations: dict[str, set[StatedRelation]] = {}
    for entry in RELATION_TYPES:
        phrases = [(name, False) for name in (entry.name, *entry.synonyms.split())]
        phrases += [(name, True) for name in entry.inverses.split()]
        for wording in entry.wordings:
            for words in wording.words:
                name = words.replace(" ", "_")
                suffixes = ("_in", "_at") if wording.states_location else ("",)
                phrases += [(f"{name}{preposition}", wording.is_reversed) for preposition in suffixes]
                if wording.transitive:
                    phrases.append((f"{name}_by", not wording.is_reversed))
        for name, is_reversed in phrases:
            relations.setdefault(name, set()).add(StatedRelation(entry.name, is_reversed))
    return {name: frozenset(stated_relations) for name, stated_relations in relations.items()}


@cache
def load_relations_by_header() -> Mapping[str, frozenset[StatedRelation]]:
    """Return the relations that a column with this header in snake case may state of its row."""
    relations: dict[str, set[StatedRelation]] = {}
    for entry in RELATION_TYPES:
        for header in entry.headers:
            for key in header.header_words.split():
                stated_relation = StatedRelation(entry.name, header.is_reversed, header.value_kind)
                relations.setdefault(key, set()).add(stated_relation)
    return {key: frozenset(stated_relation) for key, stated_relation in relations.items()}


@cache
def load_kinds_by_interrogative() -> Mapping[str, str]:
    """Return the kind of node that an interrogative asks for, by the registry's own questions: "where" a
    Location; none for one that asks for several kinds.
    """
    kinds: dict[str, set[str]] = {}
    for entry in RELATION_TYPES:
        if not entry.question:
            continue
        asks_source = "{end}" in entry.question
        allowed_kinds = entry.ends.sources if asks_source else entry.ends.targets
        header_kinds = {
            header.value_kind
            for header in entry.headers
            if header.value_kind and header.is_reversed == asks_source
        }
        kinds.setdefault(entry.question.split()[0].lower(), set()).update(allowed_kinds or header_kinds)
    return {
        word: next(iter(relation_types)) for word, relation_types in kinds.items() if len(relation_types) == 1
    }


@cache
def are_close_relations(relation: str, other_relation: str) -> bool:
    """Return whether two relations are the same, or the same words before a place state either: "based in"
    says where somebody lives as well as where something is.
    """
    return relation == other_relation or any(
        set(first_wording.words) & set(second_wording.words)
        for first_wording in BY_NAME[relation].wordings
        for second_wording in BY_NAME[other_relation].wordings
        if first_wording.states_location and second_wording.states_location
    )
