"""Other names of an entity that the same text gives to another one: an answer that contradicts itself."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from rapidfuzz import fuzz

from app.domain.node_types import PEOPLE
from app.domain.scoring.keywords import count_unspaced_characters
from app.extraction.rules.names.initials import is_acronym
from app.extraction.shapes import FoundEntity
from app.graph.names import normalise_name

_MIN_SIMILARITY = 80
"""Per cent of equal letters from which two names may be spellings of one."""
_MIN_ABBREVIATION_LENGTH = 2


class WithoutForeignAliases(NamedTuple):
    """Entities without aliases that are the name of another one, and how many aliases were dropped."""

    entities: list[FoundEntity]
    dropped_count: int


def drop_aliases_that_name_others_and_count(entities: Sequence[FoundEntity]) -> WithoutForeignAliases:
    """Return the entities without aliases that are the name of another one, and how many were dropped.

    Such an alias stays if the other lists this entity in turn, or if both are written alike (spelling,
    acronym, abbreviation, a part of the name): then one thing was listed twice.
    """
    entities_by_name: dict[str, list[FoundEntity]] = {}
    for entity in entities:
        entities_by_name.setdefault(normalise_name(entity.name), []).append(entity)
    dropped_count = 0
    remaining_entities = []
    for entity in entities:
        aliases = tuple(
            alias
            for alias in entity.aliases
            if all(
                other_entity is entity or _may_entities_be_same_thing(entity, other_entity)
                for other_entity in entities_by_name.get(normalise_name(alias), ())
            )
        )
        dropped_count += len(entity.aliases) - len(aliases)
        remaining_entities.append(replace(entity, aliases=aliases) if aliases != entity.aliases else entity)
    return WithoutForeignAliases(remaining_entities, dropped_count)


def _may_entities_be_same_thing(entity: FoundEntity, other_entity: FoundEntity) -> bool:
    name, other_name = normalise_name(entity.name), normalise_name(other_entity.name)
    words, other_words = set(name.split()), set(other_name.split())
    return (
        name in map(normalise_name, other_entity.aliases)
        or words <= other_words
        or other_words <= words
        or is_acronym(entity.name, other_entity.name.split())
        or is_acronym(other_entity.name, entity.name.split())
        or _is_abbreviation_in_unspaced_script(entity, other_entity)
        # Where a character is a word, another character is another name.
        or (not count_unspaced_characters(name) and fuzz.ratio(name, other_name) >= _MIN_SIMILARITY)
    )


def _is_abbreviation_in_unspaced_script(entity: FoundEntity, other_entity: FoundEntity) -> bool:
    """Return whether one name has some of the other's characters in their order, from the first on, in a
    script in which names are abbreviated so: "北大" for "北京大学". People are not.
    """
    short_name, long_name = sorted(
        (normalise_name(entity.name), normalise_name(other_entity.name)), key=lambda name: (len(name), name)
    )
    if (
        PEOPLE & {entity.node_type, other_entity.node_type}
        or len(short_name) < _MIN_ABBREVIATION_LENGTH
        or count_unspaced_characters(short_name) < len(short_name)
        or short_name[0] != long_name[0]
    ):
        return False
    remaining_characters = iter(long_name)
    return all(character in remaining_characters for character in short_name)
