"""The sense of a name in a text: from its title, an apposition, "is a", or a year of birth. Pure.

A sense distinguishes several things of one name. Senses are rare, and matter only if two texts state
different ones: "Mercury, a planet" and "Mercury is a metal". A sense stated once applies to the whole
document.
"""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from app.domain.table_headers import remove_table_header_from_headings
from app.extraction.rules.english.sense_nouns import (
    COMPATIBLE_KIND_PAIRS,
    COUNTRIES,
    KIND_OF_PLACE_NOUN,
    NOUNS_BY_KIND,
    STATES,
    WORDS_AFTER_HEAD,
)
from app.extraction.shapes import ChunkText, FoundEntity
from app.graph.names import normalise_name
from app.ids import DocumentId

MAX_SENSE_LENGTH = 60
_KIND_OF_NOUN = {noun: kind for kind, nouns in NOUNS_BY_KIND.items() for noun in nouns}
_LAST_WORDS_OF_NOUNS = frozenset(noun.rpartition(" ")[2] for noun in _KIND_OF_NOUN)
_MAX_NOUN_LENGTH = max(len(noun.split()) for noun in _KIND_OF_NOUN)
_TITLE_WITH_SENSE = re.compile(r"(?P<name>[^()]*\S)\s*\((?P<sense>[^()]{2,60})\)\s*")
# The description right after the name; a bracket with years or another name may precede it.
_DESCRIPTION = re.compile(
    r"(?:\s*\([^()]{0,80}\))?(?:\s*,|\s+(?:is|was|are|were)(?:\s+(?:also|now|still|once|both))?)"
    r"\s+(?:an?|the|one of the)\s+(?P<phrase>[^,;:()]{3,120})"
)
_BIRTH_BRACKET = re.compile(r"\s*\([^()]{0,60}?\bborn\b[^()]{0,40}?\b(?P<year>[12]\d{3})\b[^()]{0,40}\)")
_LIFE_DATES = re.compile(
    r"\s*\((?:c\.\s*)?(?P<year>[12]\d{3})\s*[-–—]\s*(?:c\.\s*)?[12]\d{3}\)\s*(?:,|was\b)"
)
_LOCATION_PHRASE = re.compile(r"\bin\s+(?:the\s+)?(?:\w+(?:ern)\s+)?(?P<place>(?:[A-Z]\w+)(?:\s[A-Z]\w+)?)")
_AMERICA = re.compile(r"\b(?:United States|U\.S\.|USA)\b")
_BIRTH_SENSE_PREFIX = "born "
_MAX_CHARACTERS_AFTER_NAME = 160
_TEXTS_AFTER_NAME = (",", " ,", " is ", " was ", " are ", " were ", " (")


def build_entities_with_senses(
    chunks: Sequence[ChunkText], entities: Sequence[Sequence[FoundEntity]]
) -> list[tuple[FoundEntity, ...]]:
    """Return the entities of these chunks, each with the sense that its document gives its name, if any.

    A sense given by the extractor is kept. If a document states two senses, each chunk has its own.
    """
    senses_by_name: dict[tuple[DocumentId, str], dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
    for position, (chunk, chunk_entities) in enumerate(zip(chunks, entities, strict=True)):
        sense_by_title = _map_names_to_senses_in_titles(chunk)
        for entity in chunk_entities:
            name = normalise_name(entity.name)
            for sense in _list_senses(entity, name, sense_by_title, chunk.text):
                senses_by_name[chunk.document_id, name][sense].add(position)
    if not senses_by_name:
        return [tuple(chunk_entities) for chunk_entities in entities]
    entities_by_chunk = []
    for position, (chunk, chunk_entities) in enumerate(zip(chunks, entities, strict=True)):
        sensed_entities = []
        for entity in chunk_entities:
            senses = senses_by_name.get((chunk.document_id, normalise_name(entity.name)))
            sense = _choose_one_sense(senses, position) if senses else ""
            sensed_entities.append(replace(entity, sense=sense) if sense and not entity.sense else entity)
        entities_by_chunk.append(tuple(sensed_entities))
    return entities_by_chunk


def build_sense_label(text: str) -> str:
    """Return a sense in stored form: the kind if its noun is known, else its own words in one line."""
    sense_text = " ".join(text.split())[:MAX_SENSE_LENGTH].strip(" ()")
    if not normalise_name(sense_text):
        return ""
    return _find_kind_noun_of_phrase(sense_text) or sense_text


def are_different_things(sense: str, other_sense: str) -> bool:
    """Return whether the senses exclude each other: a planet and a metal, cities of two countries, two
    births.
    """
    if sense == other_sense:
        return False
    if sense.startswith(_BIRTH_SENSE_PREFIX) and other_sense.startswith(_BIRTH_SENSE_PREFIX):
        return True
    (kind, _, country), (other_kind, _, other_country) = (
        sense.partition(" in "),
        other_sense.partition(" in "),
    )
    if kind not in NOUNS_BY_KIND or other_kind not in NOUNS_BY_KIND:
        return False
    if kind == other_kind:
        return bool(country and other_country)
    return frozenset((kind, other_kind)) not in COMPATIBLE_KIND_PAIRS


def _choose_one_sense(senses: dict[str, set[int]], chunk_position: int) -> str:
    """Return the document's only sense, else that of the chunk itself; "" if one chunk has several."""
    chunk_senses = [sense for sense, chunk_positions in senses.items() if chunk_position in chunk_positions]
    for candidate_senses in (list(senses), chunk_senses):
        distinct_senses = {
            sense
            for sense in candidate_senses
            if not any(_is_vaguer(sense, rival) for rival in candidate_senses)
        }
        if len(distinct_senses) == 1:
            return distinct_senses.pop()
    return ""


def _is_vaguer(sense: str, other_sense: str) -> bool:
    """Return whether a sense adds nothing to the other: a year beside a kind, or "city" beside "city in
    France".
    """
    return other_sense != sense and (
        other_sense.startswith(f"{sense} in ")
        or (sense.startswith(_BIRTH_SENSE_PREFIX) and not other_sense.startswith(_BIRTH_SENSE_PREFIX))
    )


def _map_names_to_senses_in_titles(chunk: ChunkText) -> dict[str, str]:
    """Return a mapping from names to senses in brackets in the document's title and the innermost heading."""
    senses = {}
    for title in (chunk.document_title, *remove_table_header_from_headings(chunk.heading_path)[-1:]):
        match = _TITLE_WITH_SENSE.fullmatch(title) if "(" in title else None
        kind = _find_kind_noun_of_phrase(match["sense"]) if match else ""
        if match and kind:
            senses[normalise_name(match["name"])] = kind
    return senses


def _list_senses(entity: FoundEntity, name: str, sense_by_title: dict[str, str], text: str) -> set[str]:
    senses = {sense_by_title[name]} if name in sense_by_title else set()
    for surface in entity.surfaces:
        if normalise_name(surface.text) != name:
            continue
        following_text = text[surface.end : surface.end + _MAX_CHARACTERS_AFTER_NAME]
        match = _DESCRIPTION.match(following_text) if following_text.startswith(_TEXTS_AFTER_NAME) else None
        sense = _find_kind_noun_of_phrase(match["phrase"]) if match else ""
        if not sense:
            sense = _read_kind_before_name(text[max(0, surface.start - 60) : surface.start])
        if not sense and entity.node_type == "Person" and following_text.startswith(" ("):
            life_match = _BIRTH_BRACKET.match(following_text) or _LIFE_DATES.match(following_text)
            sense = f"{_BIRTH_SENSE_PREFIX}{life_match['year']}" if life_match else ""
        if sense:
            senses.add(sense)
    return senses


def _read_kind_before_name(text_before: str) -> str:
    """Return the kind before a name: "the planet", "the island of", "basketball player"."""
    last_word = text_before.rstrip().rpartition(" ")[2].lower()
    if last_word != "of" and last_word not in _LAST_WORDS_OF_NOUNS:
        return ""
    words = text_before.split()[-_MAX_NOUN_LENGTH - 3 :]
    normalised_words = [normalise_name(word) for word in words]
    if last_word == "of":
        # "The island of Java" gives Java a kind; "the largest city of France" gives France none.
        for noun_length in (2, 1):
            kind = KIND_OF_PLACE_NOUN.get(" ".join(normalised_words[-noun_length - 1 : -1]))
            if kind and normalised_words[-noun_length - 2 : -noun_length - 1] == ["the"]:
                return kind
        return ""
    kind, noun_length = _find_kind_noun_at_end(normalised_words)
    return (
        kind
        if "the" in normalised_words[-noun_length - 2 : -noun_length] or kind in ("athlete", "scientist")
        else ""
    )


@lru_cache(maxsize=4_096)
def _find_kind_noun_of_phrase(phrase: str) -> str:
    """Return the kind of a noun phrase by its head: "terrestrial planet closest to the Sun" is a planet."""
    sentence = re.split(r"(?<=\w\w)\.\s", phrase, maxsplit=1)[0]
    words = normalise_name(sentence).split()
    head_words: list[str] = []
    earlier_kind = ""
    for word in words:
        if word == "and" and _find_kind_noun_at_end(head_words).kind:
            # "the capital and largest city"
            earlier_kind, head_words = _find_kind_noun_at_end(head_words).kind, []
            continue
        if word in WORDS_AFTER_HEAD:
            break
        head_words.append(word)
    while len(head_words) > 1 and head_words[-1].endswith(("est", "ed", "ing")):
        head_words.pop()
    kind = _find_kind_noun_at_end(head_words).kind or earlier_kind
    if not kind and head_words and head_words[-1] == "state" and _AMERICA.search(sentence):
        return "U.S. state"
    if kind == "city":
        match = _LOCATION_PHRASE.search(sentence)
        container = _find_known_state_or_country(match["place"]) if match else ""
        return f"city in {container}" if container else kind
    return kind


class _KindNoun(NamedTuple):
    """The kind that a noun states, and its number of words; "" and 0 for none."""

    kind: str
    word_count: int


def _find_kind_noun_at_end(words: Sequence[str]) -> _KindNoun:
    """Return the longest known noun at the end of these words."""
    for noun_length in range(min(_MAX_NOUN_LENGTH, len(words)), 0, -1):
        kind = _KIND_OF_NOUN.get(" ".join(words[-noun_length:]))
        if kind:
            return _KindNoun(kind, noun_length)
    return _KindNoun("", 0)


def _find_known_state_or_country(phrase: str) -> str:
    for name in (phrase, phrase.split(maxsplit=1)[0]):
        if normalise_name(name) in STATES or normalise_name(name) in COUNTRIES:
            return name
    return ""
