"""Extraction from chunks' texts, in pure functions on plain values that a sandbox can run.

Each takes chunks of one document. A model is called before, and its answers are passed in as an extractor.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from app.extraction.attributes import keep_attributes_stated_in_chunk
from app.extraction.grounding import (
    GroundedRelation,
    keep_entities_named_in_chunk,
    keep_relations_stated_in_chunk,
)
from app.extraction.sense_detection import build_entities_with_senses
from app.extraction.shapes import (
    ChunkStatements,
    ChunkText,
    Extractor,
    FoundEntity,
    FoundPhrase,
    StatingExtractor,
    Vocabulary,
)
from app.extraction.titular_mentions import is_named_by_title, list_normalised_titles

Entities = tuple[FoundEntity, ...]
ExtractorAndVocabulary = tuple[Extractor, Vocabulary]
RelationsAndPhrases = tuple[tuple[GroundedRelation, ...], tuple[FoundPhrase, ...]]


@dataclass(frozen=True)
class ChunkEntities:
    """The entities of some chunks, chunk by chunk, with a flag for each whether a title names it."""

    entities: tuple[Entities, ...]
    titular_flags: tuple[tuple[bool, ...], ...]
    drop_counts: Counter[str] = field(default_factory=Counter)


def extract_grounded_entities(
    extractor_and_vocabulary: ExtractorAndVocabulary, chunks: Sequence[ChunkText]
) -> ChunkEntities:
    """Return the entities of these chunks (pass 1), each located in its chunk; none for an unwanted chunk."""
    extractor, vocabulary = extractor_and_vocabulary
    extractor.drop_counts.clear()
    drop_counts: Counter[str] = Counter()
    entities: list[Entities] = []
    for chunk, chunk_entities in zip(chunks, extractor.extract_entities(chunks, vocabulary), strict=True):
        grounded_entities, drops = keep_entities_named_in_chunk(chunk, chunk_entities, vocabulary)
        grounded_entities = keep_attributes_stated_in_chunk(
            chunk, grounded_entities, vocabulary.attributes, drop_counts
        )
        entities.append(tuple(grounded_entities) if chunk.is_wanted else ())
        drop_counts.update(drops.by_reason)
    entities = build_entities_with_senses(chunks, entities)
    titles = [list_normalised_titles(chunk) for chunk in chunks]
    drop_counts.update(_take_and_clear_drop_counts(extractor))
    return ChunkEntities(
        tuple(entities),
        tuple(
            # A background topic exists for statements only, and is not used for ranking.
            tuple(
                not entity.is_background and is_named_by_title(entity, chunk_titles)
                for entity in grounded_entities
            )
            for grounded_entities, chunk_titles in zip(entities, titles, strict=True)
        ),
        drop_counts,
    )


class ChunkAttributes(NamedTuple):
    """The entities of a chunk with their attributes, and the counts of dropped values by reason."""

    entities: Entities
    drop_counts: Counter[str]


ChunkAndEntities = tuple[ChunkText, Entities]
"""A chunk, and the entities found in it."""


def keep_stated_attributes(
    extractor_and_vocabulary: ExtractorAndVocabulary, chunk_and_entities: ChunkAndEntities
) -> ChunkAttributes:
    """Return the entities of one chunk with the attributes that the chunk states, and the drops."""
    chunk, entities = chunk_and_entities
    drop_counts: Counter[str] = Counter()
    grounded_entities = keep_attributes_stated_in_chunk(
        chunk, entities, extractor_and_vocabulary[1].attributes, drop_counts
    )
    return ChunkAttributes(tuple(grounded_entities), drop_counts)


class ChunkRelations(NamedTuple):
    """The statements of a chunk, and the counts of dropped ones by reason."""

    relations_and_phrases: RelationsAndPhrases
    drop_counts: Counter[str]


def extract_grounded_statements(
    extractor_and_vocabulary: ExtractorAndVocabulary, chunk_and_entities: ChunkAndEntities
) -> ChunkRelations:
    """Return the statements of one chunk about its entities (pass 2), each with a quote located in it, and
    the drops.
    """
    extractor, vocabulary = extractor_and_vocabulary
    chunk, entities = chunk_and_entities
    extractor.drop_counts.clear()
    (claims,) = extractor.extract_relations([chunk], [entities], vocabulary)
    statements = ChunkStatements()
    if vocabulary.statements and isinstance(extractor, StatingExtractor):
        statements = extractor.extract_statements(chunk, entities, claims, vocabulary)
    relations, grounding_drops = keep_relations_stated_in_chunk(
        chunk, entities, [*claims, *statements.relations], vocabulary
    )
    return ChunkRelations(
        (tuple(relations), statements.phrases),
        _take_and_clear_drop_counts(extractor) + grounding_drops.by_reason,
    )


def _take_and_clear_drop_counts(extractor: Extractor) -> Counter[str]:
    """Return the drops of this call and clear them on the extractor, so that they count once in any
    process.
    """
    drop_counts = extractor.drop_counts.copy()
    extractor.drop_counts.clear()
    return drop_counts
