"""Entities of a chunk in a language that no rules are written for: the names that its pipeline finds."""

from typing import TYPE_CHECKING

from app.domain.node_types import DEFAULT_TYPE
from app.extraction.shapes import ChunkText, FoundEntity, Surface, Vocabulary
from app.graph.names import clean_name, is_acceptable_name, normalise_name

if TYPE_CHECKING:
    from app.extraction.reader.pipeline import Pipeline

LEAST_CONFIDENCE = 0.5
"""How sure the pipeline must be of each word of a name."""


def named_entities(chunk: ChunkText, pipeline: "Pipeline", vocabulary: Vocabulary) -> tuple[FoundEntity, ...]:
    """The things that the chunk names, each with all its places; two names are two things without a type."""
    if DEFAULT_TYPE not in vocabulary.node_types:
        return ()
    surfaces: dict[str, list[Surface]] = {}
    confidences: dict[str, float] = {}
    for sentence in pipeline.read([chunk.text])[0]:
        for name in pipeline.names(sentence.read):
            start, end = sentence.starts[name.first], sentence.ends[name.last - 1]
            surface = chunk.text[start:end]
            if name.confidence < LEAST_CONFIDENCE or "\n" in surface or not is_acceptable_name(surface):
                continue
            key = normalise_name(surface)
            surfaces.setdefault(key, []).append(Surface(surface, start, end))
            confidences[key] = max(confidences.get(key, 0.0), name.confidence)
    return tuple(
        FoundEntity(
            name=clean_name(mentions[0].text),
            node_type=DEFAULT_TYPE,
            surfaces=tuple(mentions),
            type_certain=False,
            confidence=round(confidences[key], 2),
        )
        for key, mentions in surfaces.items()
    )
