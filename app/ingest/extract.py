"""The two passes over what has been read: entities, then relations, grounded and weighed."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from app.extraction.attributes import ground_attributes, with_dates_of_values
from app.extraction.edge_weights import extraction_key, key_of_claim, product, weights
from app.extraction.grounding import GroundedRelation, ground_entities, ground_relations
from app.extraction.senses import with_senses
from app.extraction.shapes import ChunkFailure, ChunkText, Extractor, FoundEntity, Vocabulary
from app.extraction.titular_mentions import is_titular, titles_of
from app.graph.names import normalise_name
from app.graph_store.edge_writer import EdgeDraft
from app.ids import ChunkId
from app.ingest.parse_and_chunk import ReadDocument
from app.resolution.entity_resolver import Candidate


@dataclass
class Extracted:
    """The findings of one extractor in some documents, ready to be written."""

    extractor: Extractor
    candidates: list[Candidate] = field(default_factory=list)
    edges: list[EdgeDraft] = field(default_factory=list)
    failures: list[ChunkFailure] = field(default_factory=list)
    drops: Counter[str] = field(default_factory=Counter)


def extract(read: Sequence[ReadDocument], vocabulary: Vocabulary) -> list[Extracted]:
    """Both passes over all documents, once for each extractor; that one decides how to call its model."""
    groups: dict[int, list[ReadDocument]] = {}
    for document in read:
        groups.setdefault(id(document.extractor), []).append(document)
    return [_extract_group(group, vocabulary) for group in groups.values()]


def _extract_group(read: Sequence[ReadDocument], vocabulary: Vocabulary) -> Extracted:
    result = Extracted(read[0].extractor)
    chunks = [text for each in read for text in each.chunks]
    entities: list[tuple[FoundEntity, ...]] = []
    for text, found in zip(chunks, result.extractor.extract_entities(chunks, vocabulary), strict=True):
        kept, dropped = ground_entities(text, found, vocabulary)
        kept = ground_attributes(text, kept, vocabulary.attributes, result.drops)
        entities.append(tuple(kept) if text.wanted else ())
        result.drops.update(dropped.by_reason)
    entities = with_senses(chunks, entities)
    # Pass 2 reads only chunks with at least two different entities (requirement 5.2); rules, with one too.
    fewest = 1 if result.extractor.reads_lone_names else 2
    several = [index for index, found in enumerate(entities) if len(found) >= fewest]
    answers = result.extractor.extract_relations(
        [chunks[index] for index in several], [entities[index] for index in several], vocabulary
    )
    relations: dict[ChunkId, list[GroundedRelation]] = {}
    for index, found_relations in zip(several, answers, strict=True):
        grounded, dropped = ground_relations(chunks[index], entities[index], found_relations, vocabulary)
        relations[chunks[index].id] = grounded
        result.drops.update(dropped.by_reason)
    begin = 0
    for each in read:
        found_here = entities[begin : begin + len(each.chunks)]
        begin += len(each.chunks)
        result.candidates += [
            Candidate(
                text.id, with_dates_of_values(entity, _dated(each, text)), titular=is_titular(entity, titles)
            )
            for text, found in zip(each.chunks, found_here, strict=True)
            for titles in (titles_of(text),)
            for entity in found
        ]
        result.edges += _weigh(each, found_here, relations, result.extractor)
    result.failures += result.extractor.failures
    result.drops.update(result.extractor.drops)
    result.extractor.failures.clear()
    result.extractor.drops.clear()
    return result


def _weigh(
    document: ReadDocument,
    entities: Sequence[Sequence[FoundEntity]],
    relations: dict[ChunkId, list[GroundedRelation]],
    extractor: Extractor,
) -> list[EdgeDraft]:
    """The document's edges; weights are relative to the largest of this ingest (requirement 4.3)."""
    stated = [
        (text, found, relation)
        for text, found in zip(document.chunks, entities, strict=True)
        for relation in relations.get(text.id, ())
    ]
    scaled = weights([product(relation.confidence, relation.times_seen) for _, _, relation in stated])
    edges = []
    for (text, found, relation), weight in zip(stated, scaled, strict=True):
        start, end = found[relation.from_entity], found[relation.to_entity]
        key = extraction_key(
            chunk_hash=document.hashes[text.id],
            prompt_version=extractor.prompt_version,
            model=extractor.model,
            from_name=start.name,
            from_type=start.node_type if extractor.separates_homonyms else "",
            to_name=end.name,
            to_type=end.node_type if extractor.separates_homonyms else "",
            relation_type=relation.relation_type,
        )
        key = key_of_claim(key, relation.polarity, relation.valid_from, relation.valid_to)
        names = normalise_name(start.name), normalise_name(end.name)
        edges.append(
            EdgeDraft(
                text.id,
                names[0],
                start.node_type,
                names[1],
                end.node_type,
                relation,
                weight,
                key,
                document.source.id,
                _dated(document, text),
            )
        )
    return edges


def _dated(document: ReadDocument, text: ChunkText) -> datetime | None:
    """The date of the turn in a conversation, else of the document."""
    return document.drafts[text.id].said_at or document.dated_at
