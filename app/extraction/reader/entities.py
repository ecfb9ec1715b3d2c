"""Entities of a chunk in a language without rules: the names that its pipeline finds."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from app.domain.node_types import DEFAULT_TYPE
from app.extraction.shapes import ChunkText, FoundEntity, Surface, Vocabulary
from app.graph.names import clean_name, may_node_have_name, normalise_name

if TYPE_CHECKING:
    from app.extraction.reader.pipeline import Name, Pipeline, TaggedSentence

_NUMBER_BEFORE_UNIT = re.compile(r"(?<![\w.])(?!\d{4}\s)(?:\d{1,2}\.|[\d.,]*\d)\s+\Z")
"""A number before a single word, which is then a unit or month: "340.000 Euro", "am 25. Juni"."""
MIN_NAME_CONFIDENCE = 0.5
"""Minimum confidence of the pipeline in each word of a name."""


def _build_dictionary_form(
    surface: str, sentence: "TaggedSentence", name: "Name", base_forms: Sequence[str]
) -> str:
    """Return the dictionary form of a name: the base form of each word, and the text between them."""
    offset = sentence.starts[name.first]
    dictionary_form = base_forms[name.first]
    for index in range(name.first + 1, name.last):
        dictionary_form += (
            surface[sentence.ends[index - 1] - offset : sentence.starts[index] - offset] + base_forms[index]
        )
    return dictionary_form if may_node_have_name(dictionary_form) else surface


def find_named_entities(
    chunk: ChunkText, pipeline: "Pipeline", vocabulary: Vocabulary
) -> tuple[FoundEntity, ...]:
    """Return the entities that the chunk names, each with all its surfaces, of the default type.

    Returns () if the vocabulary lacks that type.
    """
    if DEFAULT_TYPE not in vocabulary.node_types:
        return ()
    surfaces_by_key: dict[str, list[Surface]] = {}
    name_by_key: dict[str, str] = {}
    confidence_by_key: dict[str, float] = {}
    for sentence in pipeline.read_sentences([chunk.text])[0]:
        names = pipeline.find_names(sentence.read_words)
        base_forms = (
            pipeline.find_base_forms(sentence.read_words) if names and pipeline.inflects_names else None
        )
        for name in names:
            start, end = sentence.starts[name.first], sentence.ends[name.last - 1]
            surface = chunk.text[start:end]
            if name.confidence < MIN_NAME_CONFIDENCE or "\n" in surface or not may_node_have_name(surface):
                continue
            if name.last - name.first == 1 and _NUMBER_BEFORE_UNIT.search(
                chunk.text[sentence.starts[0] : start]
            ):
                continue
            dictionary_form = (
                surface if base_forms is None else _build_dictionary_form(surface, sentence, name, base_forms)
            )
            key = normalise_name(dictionary_form)
            surfaces_by_key.setdefault(key, []).append(Surface(surface, start, end))
            name_by_key.setdefault(key, dictionary_form)
            confidence_by_key[key] = max(confidence_by_key.get(key, 0.0), name.confidence)
    return tuple(
        FoundEntity(
            name=clean_name(name_by_key[key]),
            node_type=DEFAULT_TYPE,
            surfaces=tuple(mentions),
            is_type_certain=False,
            confidence=round(confidence_by_key[key], 2),
        )
        for key, mentions in surfaces_by_key.items()
    )
