"""Entities of a chunk in a language without rules: the names that its pipeline finds."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from app.domain.node_types import DEFAULT_TYPE
from app.extraction.shapes import ChunkText, FoundEntity, Surface, Vocabulary
from app.graph.names import clean_name, is_acceptable_name, normalise_name

if TYPE_CHECKING:
    from app.extraction.reader.pipeline import Name, Pipeline, ReadSentence

_AMOUNT_BEFORE = re.compile(r"(?<![\w.])(?!\d{4}\s)(?:\d{1,2}\.|[\d.,]*\d)\s+\Z")
"""A number before a single word, which is then a unit or month: "340.000 Euro", "am 25. Juni"."""
MIN_CONFIDENCE = 0.5
"""Minimum confidence of the pipeline in each word of a name."""


def _build_dictionary_form(surface: str, sentence: "ReadSentence", name: "Name", forms: Sequence[str]) -> str:
    """Return the dictionary form of a name: the base form of each word, and the text between them."""
    offset = sentence.starts[name.first]
    form = forms[name.first]
    for index in range(name.first + 1, name.last):
        form += surface[sentence.ends[index - 1] - offset : sentence.starts[index] - offset] + forms[index]
    return form if is_acceptable_name(form) else surface


def find_named_entities(
    chunk: ChunkText, pipeline: "Pipeline", vocabulary: Vocabulary
) -> tuple[FoundEntity, ...]:
    """Return the entities that the chunk names, each with all its surfaces, of the default type.

    Returns () if the vocabulary lacks that type.
    """
    if DEFAULT_TYPE not in vocabulary.node_types:
        return ()
    surfaces: dict[str, list[Surface]] = {}
    dictionary_names: dict[str, str] = {}
    confidences: dict[str, float] = {}
    for sentence in pipeline.read([chunk.text])[0]:
        names = pipeline.names(sentence.read_words)
        forms = pipeline.base_forms(sentence.read_words) if names and pipeline.inflects_names else None
        for name in names:
            start, end = sentence.starts[name.first], sentence.ends[name.last - 1]
            surface = chunk.text[start:end]
            if name.confidence < MIN_CONFIDENCE or "\n" in surface or not is_acceptable_name(surface):
                continue
            if name.last - name.first == 1 and _AMOUNT_BEFORE.search(chunk.text[sentence.starts[0] : start]):
                continue
            form = surface if forms is None else _build_dictionary_form(surface, sentence, name, forms)
            key = normalise_name(form)
            surfaces.setdefault(key, []).append(Surface(surface, start, end))
            dictionary_names.setdefault(key, form)
            confidences[key] = max(confidences.get(key, 0.0), name.confidence)
    return tuple(
        FoundEntity(
            name=clean_name(dictionary_names[key]),
            node_type=DEFAULT_TYPE,
            surfaces=tuple(mentions),
            is_type_certain=False,
            confidence=round(confidences[key], 2),
        )
        for key, mentions in surfaces.items()
    )
