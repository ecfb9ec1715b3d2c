"""The extractor that parses stored answers of a model, without calls. Pure."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from app.domain.node_types import DEFAULT_TYPE, PROPER_NAME_TYPES
from app.domain.table_headers import remove_table_header_from_headings
from app.extraction.grounding import ChunkNames
from app.extraction.sense_detection import build_sense_label
from app.extraction.shapes import (
    ChunkFailure,
    ChunkText,
    FoundEntity,
    FoundRelation,
    StatingWords,
    Surface,
    Vocabulary,
)
from app.extraction.vocabulary import to_node_type
from app.graph.name_forms import does_name_occur_in, may_written_form_be_of_name
from app.graph.names import clean_name, may_node_have_name, normalise_name
from app.graph.validity import Polarity, parse_stated_date
from app.ids import ChunkId
from app.llm.prompts import relations as relation_prompt

Answer = Mapping[str, Any]
_NamedNode = tuple[str, tuple[Surface, ...]]
"""A name for display, and its surfaces in the chunk."""

_MISSING_TYPE = ""
_POLARITIES = frozenset(Polarity)


_EntityKey = tuple[str, str]
"""The normalised name and the type of an entity."""


class AnsweredExtractor:
    """Both passes from stored answers, by chunk; a chunk without an answer has no results."""

    separates_homonyms = True
    reads_lone_names = True

    def __init__(
        self,
        model: str,
        prompt_version: str,
        *,
        entities: Mapping[ChunkId, Sequence[Answer]] | None = None,
        relations: Mapping[ChunkId, Answer] | None = None,
    ) -> None:
        self.model = model
        self.prompt_version = prompt_version
        self.failures: list[ChunkFailure] = []
        self.drop_counts: Counter[str] = Counter()
        self._entity_answers = entities or {}
        self._relation_answers = relations or {}

    def extract_entities(
        self, chunks: Sequence[ChunkText], vocabulary: Vocabulary
    ) -> list[tuple[FoundEntity, ...]]:
        """Return the entities of each chunk, in the order of `chunks`."""
        return [
            self._build_entities_and_count_drops(chunk, self._entity_answers.get(chunk.id, ()), vocabulary)
            for chunk in chunks
        ]

    def extract_relations(
        self,
        chunks: Sequence[ChunkText],
        entities: Sequence[tuple[FoundEntity, ...]],
        vocabulary: Vocabulary,  # noqa: ARG002  (grounding reads the verbs)
    ) -> list[tuple[FoundRelation, ...]]:
        """Return the relations of each chunk, in the order of `chunks`."""
        return [
            self._build_relations_and_count_drops(chunk_entities, answer)
            if (answer := self._relation_answers.get(chunk.id))
            else ()
            for chunk, chunk_entities in zip(chunks, entities, strict=True)
        ]

    def _build_entities_and_count_drops(
        self, chunk: ChunkText, answered_entities: Sequence[Mapping[str, Any]], vocabulary: Vocabulary
    ) -> tuple[FoundEntity, ...]:
        """Return the entities of the answer that the chunk names, merged within the chunk (requirement
        5.1).
        """
        names_by_node: dict[_EntityKey, dict[str, _NamedNode]] = {}
        senses: dict[_EntityKey, set[str]] = {}
        chunk_names = ChunkNames(chunk)
        for answered_entity in answered_entities:
            # An entity of a type that the space does not declare is kept without a type.
            node_type = to_node_type(answered_entity["type"], vocabulary) or _MISSING_TYPE
            names = _find_names(answered_entity, chunk_names)
            if not names:
                self.drop_counts["not_in_text"] += 1
                continue
            entity = names_by_node.setdefault((next(iter(names)), node_type), {})
            senses.setdefault((next(iter(names)), node_type), set()).add(
                build_sense_label(answered_entity.get("sense", ""))
            )
            for key, entity_names in names.items():
                entity.setdefault(key, entity_names)
        for untyped_key in [key for key in names_by_node if key[1] == _MISSING_TYPE]:
            typed_key = next(
                (key for key in names_by_node if key[0] == untyped_key[0] and key != untyped_key), None
            )
            if typed_key is not None:
                names_by_node[typed_key] = {**names_by_node.pop(untyped_key), **names_by_node[typed_key]}
                senses[typed_key] |= senses.pop(untyped_key)
        for noun in _find_common_nouns(chunk, names_by_node):
            del names_by_node[noun]
            self.drop_counts["common_noun"] += 1
        return tuple(
            # If a chunk states two senses of one name, their extents are unknown, so neither is used.
            _build_found_entity(
                list(names.values()), key[1], sense=senses[key].pop() if len(senses[key]) == 1 else ""
            )
            for key, names in names_by_node.items()
        )

    def _build_relations_and_count_drops(
        self, entities: Sequence[FoundEntity], answer: Answer
    ) -> tuple[FoundRelation, ...]:
        position_by_name: dict[str, int] = {}
        for position, label in enumerate(list_entity_labels(entities)):
            position_by_name.setdefault(normalise_name(label), position)
        # The prompt asks for names of the list; other names of the same entity are accepted too.
        for position, entity in enumerate(entities):
            for name in (entity.name, *entity.aliases, *entity.short_names):
                position_by_name.setdefault(normalise_name(name), position)
        relations = []
        for answered_relation in answer["relations"]:
            from_position, to_position = (
                position_by_name.get(normalise_name(answered_relation[end_name]))
                for end_name in ("from", "to")
            )
            if from_position is None or to_position is None:
                self.drop_counts["unknown_entity"] += 1
                continue
            polarity_name = answered_relation["polarity"].strip().lower()
            if polarity_name == relation_prompt.PLANNED_POLARITY:
                self.drop_counts["planned"] += 1
                continue
            if polarity_name and polarity_name not in _POLARITIES:
                # It may be a denial in other words: never an assertion.
                self.drop_counts["unknown_polarity"] += 1
                continue
            polarity = Polarity(polarity_name or Polarity.ASSERTED)
            is_denied = polarity is Polarity.DENIED
            date_texts = [answered_relation[name] for name in ("valid_from", "valid_to")]
            start_date, end_date = map(parse_stated_date, date_texts)
            if any(text and text.strip() and parse_stated_date(text) is None for text in date_texts):
                self.drop_counts["unreadable_date"] += 1
            relations.append(
                FoundRelation(
                    from_position,
                    to_position,
                    answered_relation["relation"],
                    answered_relation["confidence"],
                    answered_relation["quote"],
                    polarity=polarity,
                    # A denial "until 2021" means that the claim does not hold since then.
                    valid_from=start_date or end_date if is_denied else start_date,
                    valid_to=None if is_denied else end_date,
                    stating_words=StatingWords(*relation_prompt.list_quoted_words(answered_relation)),
                    role=answered_relation.get("role"),
                    replaces_earlier=bool(answered_relation.get("changed_by", "").strip()),
                )
            )
        return tuple(relations)


def _find_names(answered_entity: Answer, chunk_names: ChunkNames) -> dict[str, _NamedNode]:
    """Return the names of an answered entity that the chunk has, by their keys, the best first.

    A name that the chunk has only in a form that the model lists has the surfaces of that form.
    """
    stated_name = answered_entity["name"]
    names: dict[str, _NamedNode] = {}
    for name in (stated_name, *answered_entity["aliases"]):
        surfaces = chunk_names.find_occurrences(clean_name(name)) if may_node_have_name(name) else ()
        if surfaces:
            names.setdefault(normalise_name(name), (clean_name(name), surfaces))
    key = normalise_name(stated_name)
    if key in names or not may_node_have_name(stated_name):
        return names
    for form, surfaces in names.values():
        if may_written_form_be_of_name(form, stated_name):
            return {key: (clean_name(stated_name), surfaces), **names}
    return names


def _find_common_nouns(
    chunk: ChunkText, entities: Mapping[_EntityKey, Mapping[str, _NamedNode]]
) -> list[_EntityKey]:
    """Return the keys of persons, groups and places that have no proper name and are not the chunk's topic.

    The chunk must capitalise some other name; these are in lower case throughout, and neither the title nor a
    heading names them. Returns nothing for a script without capitals.
    """
    uncapitalised_words = {
        key
        for key, names in entities.items()
        if all(_is_lower_case(surface.text) for _, surfaces in names.values() for surface in surfaces)
    }
    written_forms = [
        surface.text
        for key in entities.keys() - uncapitalised_words
        for _, surfaces in entities[key].values()
        for surface in surfaces
    ]
    if not any(character.isupper() for text in written_forms for character in text):
        return []
    titles = " | ".join(
        (chunk.document_title, *remove_table_header_from_headings(chunk.heading_path))
    ).lower()
    return [
        key
        for key in sorted(uncapitalised_words)
        if key[1] in PROPER_NAME_TYPES
        and not any(
            does_name_occur_in(name.lower(), titles, lambda: chunk.language)
            for name, _ in entities[key].values()
        )
    ]


def _is_lower_case(text: str) -> bool:
    """Return whether these are words in lower case alone; "4chan" and "ver.di" are not words."""
    return text.islower() and not any(character.isdigit() or character in "._@" for character in text)


def list_entity_labels(entities: Sequence[FoundEntity]) -> list[str]:
    """Return the name of each entity as listed in pass 2; homonyms of different types include their type."""
    name_counts = Counter(normalise_name(entity.name) for entity in entities)
    return [
        f"{entity.name} ({entity.node_type})" if name_counts[normalise_name(entity.name)] > 1 else entity.name
        for entity in entities
    ]


def _build_found_entity(names: Sequence[_NamedNode], node_type: str, *, sense: str) -> FoundEntity:
    name, *aliases = (written_name for written_name, _ in names)
    name_words = set(normalise_name(name).split())
    # A part of the name, such as a surname, or a form of it is valid in this document only and must not merge
    # nodes.
    short_aliases = [
        alias
        for alias in aliases
        if set(normalise_name(alias).split()) < name_words or may_written_form_be_of_name(alias, name)
    ]
    if node_type == "Person":
        short_aliases = [alias for alias in aliases if alias in short_aliases or " " not in alias]
    surfaces: list[Surface] = []
    all_surfaces = {surface for _, name_surfaces in names for surface in name_surfaces}
    for surface in sorted(all_surfaces, key=lambda named_surface: (named_surface.start, -named_surface.end)):
        # "Curie" inside "Marie Curie" is not a separate surface.
        if not surfaces or surface.start >= surfaces[-1].end:
            surfaces.append(surface)
    return FoundEntity(
        name,
        node_type or DEFAULT_TYPE,
        tuple(surfaces),
        is_type_certain=node_type != _MISSING_TYPE,
        aliases=tuple(alias for alias in aliases if alias not in short_aliases),
        short_names=tuple(short_aliases),
        sense=sense,
    )
