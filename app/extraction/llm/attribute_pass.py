"""The pass that asks a model for attributes of the named nodes, if the space wants them (requirement 5.6)."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from app.extraction.shapes import ChunkText, FoundAttribute, FoundEntity, Surface, Vocabulary
from app.llm.call_records import Answer
from app.llm.model_calls.asker import Asker
from app.llm.model_calls.malformed_answer_retries import Fault
from app.llm.prompts import attributes as prompt

_MAX_ATTRIBUTES = 200
_MAX_CHARACTERS = 4_000

Entities = tuple[FoundEntity, ...]


def ask_attributes_of_chunks(
    asker: Asker,
    chunks: Sequence[ChunkText],
    entities: Sequence[Entities],
    vocabulary: Vocabulary,
    *,
    groups: Sequence[Hashable] | None = None,
) -> list[Entities]:
    """Return the entities of each chunk with the attributes from the model, not yet verified.

    Only chunks that name an entity of a type with attributes are sent. A chunk whose answer cannot be parsed
    keeps its entities unchanged. Raises like `Asker.ask`.
    """
    attributes_by_position = {
        position: attributes
        for position, chunk_entities in enumerate(entities)
        if (
            attributes := {
                entity.name: kinds
                for entity in chunk_entities
                if (kinds := vocabulary.attributes.get(entity.node_type))
            }
        )
    }
    answers = asker.ask(
        prompt.PROMPT,
        [
            prompt.render_passage(chunks[position].text, attributes_by_name=attributes)
            for position, attributes in attributes_by_position.items()
        ],
        groups=None if groups is None else [groups[position] for position in attributes_by_position],
        chunks=[chunks[position].id for position in attributes_by_position],
        normalise_answer=_limit_values_of_answer,
    )
    described_entities = list(entities)
    for chunk_position, answer in zip(attributes_by_position, answers, strict=True):
        if not isinstance(answer, Fault):
            described_entities[chunk_position] = tuple(
                _build_entity_with_values(entity, answer["values"]) for entity in entities[chunk_position]
            )
    return described_entities


def _limit_values_of_answer(answer: Mapping[str, Any]) -> Answer:
    """Return the part of the answer to store: a bounded number of values and quotes of bounded length."""
    short_values = [value for value in answer["values"] if sum(map(len, value.values())) <= _MAX_CHARACTERS]
    return {"values": short_values[:_MAX_ATTRIBUTES]}


def _build_entity_with_values(entity: FoundEntity, values: Sequence[Mapping[str, str]]) -> FoundEntity:
    attributes = tuple(
        FoundAttribute(value["attribute"], value["value"], Surface(value["quote"], 0, 0))
        for value in values
        if value["name"] == entity.name
    )
    return replace(entity, attributes=attributes) if attributes else entity
