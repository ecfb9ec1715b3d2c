"""The work of extraction on chunks' texts, in functions that a sandbox can run: pure, on plain values.

Each takes chunks of one document. A model is asked before, and its answers come along as an extractor.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from app.extraction.attributes import ground_attributes
from app.extraction.grounding import GroundedRelation, ground_entities, ground_relations
from app.extraction.sense_detection import add_senses
from app.extraction.shapes import (
    ChunkStatements,
    ChunkText,
    Extractor,
    FoundEntity,
    FoundPhrase,
    StatingExtractor,
    Vocabulary,
)
from app.extraction.titular_mentions import is_titular, list_titles

Entities = tuple[FoundEntity, ...]
Common = tuple[Extractor, Vocabulary]
Stated = tuple[tuple[GroundedRelation, ...], tuple[FoundPhrase, ...]]


@dataclass(frozen=True)
class ChunkEntities:
    """The entities of some chunks, chunk by chunk; beside each whether a title calls it so."""

    entities: tuple[Entities, ...]
    titular: tuple[tuple[bool, ...], ...]
    drops: Counter[str] = field(default_factory=Counter)


def read_entities(common: Common, chunks: Sequence[ChunkText]) -> ChunkEntities:
    """Pass 1: the things that these chunks name, each found again in its chunk; none of an unwanted one."""
    extractor, vocabulary = common
    extractor.drops.clear()
    drops: Counter[str] = Counter()
    entities: list[Entities] = []
    for text, chunk_entities in zip(chunks, extractor.extract_entities(chunks, vocabulary), strict=True):
        grounded, dropped = ground_entities(text, chunk_entities, vocabulary)
        grounded = ground_attributes(text, grounded, vocabulary.attributes, drops)
        entities.append(tuple(grounded) if text.wanted else ())
        drops.update(dropped.by_reason)
    entities = add_senses(chunks, entities)
    titles = [list_titles(text) for text in chunks]
    drops.update(_take_drops(extractor))
    return ChunkEntities(
        tuple(entities),
        tuple(
            # A topic in the background is there for statements: ranking does not go by it.
            tuple(not entity.is_background and is_titular(entity, names) for entity in grounded_entities)
            for grounded_entities, names in zip(entities, titles, strict=True)
        ),
        drops,
    )


def read_attributes(
    common: Common, chunk_and_entities: tuple[ChunkText, Entities]
) -> tuple[Entities, Counter[str]]:
    """The entities of one chunk with those of their attributes that the chunk states."""
    text, entities = chunk_and_entities
    drops: Counter[str] = Counter()
    grounded = ground_attributes(text, entities, common[1].attributes, drops)
    return tuple(grounded), drops


def read_relations(
    common: Common, chunk_and_entities: tuple[ChunkText, Entities]
) -> tuple[Stated, Counter[str]]:
    """Pass 2: what one chunk states of the things that it names, each with a quote found in it."""
    extractor, vocabulary = common
    text, entities = chunk_and_entities
    extractor.drops.clear()
    (claims,) = extractor.extract_relations([text], [entities], vocabulary)
    statements = ChunkStatements()
    if vocabulary.statements and isinstance(extractor, StatingExtractor):
        statements = extractor.extract_statements(text, entities, claims, vocabulary)
    relations, dropped = ground_relations(text, entities, [*claims, *statements.relations], vocabulary)
    return (tuple(relations), statements.phrases), _take_drops(extractor) + dropped.by_reason


def _take_drops(extractor: Extractor) -> Counter[str]:
    """The drops of this reading. The extractor forgets them: in this process or a child, they count once."""
    drops = extractor.drops.copy()
    extractor.drops.clear()
    return drops
