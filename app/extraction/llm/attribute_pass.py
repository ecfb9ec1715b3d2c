"""The pass that asks a model what chunks say of the nodes they name; only where the space wants it
(requirement 5.6).
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from app.extraction.shapes import ChunkText, FoundAttribute, FoundEntity, Surface, Vocabulary
from app.llm.answers import Answer
from app.llm.model_calls.batching import Asker, Fault
from app.llm.prompts import attributes as prompt

_MAX_KEPT = 200
_MAX_CHARACTERS = 4_000

Entities = tuple[FoundEntity, ...]


def describe(
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
    wanted = {
        place: things
        for place, found in enumerate(entities)
        if (
            things := {
                each.name: kinds for each in found if (kinds := vocabulary.attributes.get(each.node_type))
            }
        )
    }
    answers = asker.ask(
        prompt.PROMPT,
        [
            prompt.render_passage(chunks[place].text, attributes_by_name=things)
            for place, things in wanted.items()
        ],
        groups=None if groups is None else [groups[place] for place in wanted],
        chunks=[chunks[place].id for place in wanted],
        tidy=_tidy,
    )
    described = list(entities)
    for place, answer in zip(wanted, answers, strict=True):
        if not isinstance(answer, Fault):
            described[place] = tuple(_with_values(each, answer["values"]) for each in entities[place])
    return described


def _tidy(entry: Mapping[str, Any]) -> Answer:
    """The part worth storing: values and quotes of bounded length, in bounded number."""
    short = [each for each in entry["values"] if sum(map(len, each.values())) <= _MAX_CHARACTERS]
    return {"values": short[:_MAX_KEPT]}


def _with_values(entity: FoundEntity, values: Sequence[Mapping[str, str]]) -> FoundEntity:
    said = tuple(
        FoundAttribute(each["attribute"], each["value"], Surface(each["quote"], 0, 0))
        for each in values
        if each["name"] == entity.name
    )
    return replace(entity, attributes=said) if said else entity
