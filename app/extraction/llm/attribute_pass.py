"""The pass that asks a model what chunks say of the nodes they name; only where the space wants it
(requirement 5.6).
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from app.extraction.shapes import ChunkText, FoundAttribute, FoundEntity, Surface, Vocabulary
from app.llm.call_records import Answer
from app.llm.model_calls.batching import Asker, Fault
from app.llm.prompts import attributes as prompt

_MAX_KEPT = 200
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
    """The entities of each chunk with what the chunk says of them, as the model has it: nothing is checked
    yet.

    Asked about are the chunks that name something of a type with attributes. A chunk whose answer cannot be
    read keeps its entities as they are. Raises what `Asker.ask` raises.
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
        tidy=_bound_answer,
    )
    described = list(entities)
    for chunk_position, answer in zip(attributes_by_position, answers, strict=True):
        if not isinstance(answer, Fault):
            described[chunk_position] = tuple(
                _add_values(entity, answer["values"]) for entity in entities[chunk_position]
            )
    return described


def _bound_answer(answer: Mapping[str, Any]) -> Answer:
    """The part worth storing: values and quotes of bounded length, in bounded number."""
    short = [value for value in answer["values"] if sum(map(len, value.values())) <= _MAX_CHARACTERS]
    return {"values": short[:_MAX_KEPT]}


def _add_values(entity: FoundEntity, values: Sequence[Mapping[str, str]]) -> FoundEntity:
    attributes = tuple(
        FoundAttribute(value["attribute"], value["value"], Surface(value["quote"], 0, 0))
        for value in values
        if value["name"] == entity.name
    )
    return replace(entity, attributes=attributes) if attributes else entity
