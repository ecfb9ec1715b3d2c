"""The extraction passes over parsed documents: entities, relations, their check; grounded and weighted.

All work on a chunk's text is done in a sandbox (`contained_reading`).
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from app.extraction.attributes import (
    build_entities_with_statements,
    build_entity_with_dates_of_values,
    list_positions_of_related_entities,
    remove_unused_background_topic,
)
from app.extraction.chunk_extraction import Entities, RelationsAndPhrases
from app.extraction.edge_weights import (
    compute_key_of_extracted_edge,
    compute_key_of_qualified_claim,
    compute_raw_edge_weight,
    divide_weights_by_largest,
)
from app.extraction.grounding import GroundedRelation
from app.extraction.llm.extractor import ClaimCheckingExtractor
from app.extraction.shapes import AskingExtractor, ChunkFailure, ChunkText, Extractor, FoundEntity, Vocabulary
from app.graph.names import normalise_name
from app.graph.resolution.entity_resolver import Candidate
from app.graph.write.edge_writer import EdgeDraft
from app.ids import ChunkId
from app.ingest.contained_reading import ChunkReader
from app.ingest.read_document import ReadDocument


@dataclass
class ExtractedDocuments:
    """The results of one extractor for some documents, ready to be written."""

    extractor: Extractor
    candidates: list[Candidate] = field(default_factory=list)
    edges: list[EdgeDraft] = field(default_factory=list)
    failures: list[ChunkFailure] = field(default_factory=list)
    drop_counts: Counter[str] = field(default_factory=Counter)


def extract_documents(
    documents: Sequence[ReadDocument], vocabulary: Vocabulary, chunk_reader: ChunkReader
) -> list[ExtractedDocuments]:
    """Return the results of both passes over all documents, one for each extractor."""
    documents_by_extractor: dict[int, list[ReadDocument]] = {}
    for document in documents:
        documents_by_extractor.setdefault(id(document.extractor), []).append(document)
    return [
        _extract_with_one_extractor(documents_of_extractor, vocabulary, chunk_reader)
        for documents_of_extractor in documents_by_extractor.values()
    ]


def _extract_with_one_extractor(
    documents: Sequence[ReadDocument], vocabulary: Vocabulary, chunk_reader: ChunkReader
) -> ExtractedDocuments:
    extractor = documents[0].extractor
    extraction_passes = _run_extraction_passes(documents, extractor, vocabulary, chunk_reader)
    chunk_ids = [chunk.id for document in documents for chunk in document.chunks]
    entities_by_chunk = [
        remove_unused_background_topic(
            chunk_entities, list_positions_of_related_entities(extraction_passes.claims.get(chunk_id, ()))
        )
        for chunk_id, chunk_entities in zip(chunk_ids, extraction_passes.entities, strict=True)
    ]
    extracted_documents = ExtractedDocuments(extractor)
    chunk_offset = 0
    for document in documents:
        document_slice = slice(chunk_offset, chunk_offset + len(document.chunks))
        chunk_offset += len(document.chunks)
        extracted_documents.candidates += [
            Candidate(
                chunk.id,
                build_entity_with_dates_of_values(
                    _limit_entity_of_untrusted_document(entity, document.source.trust),
                    _get_date_of_chunk(document, chunk),
                ),
                titular=is_titular,
                trust=document.source.trust,
            )
            for chunk, chunk_entities, titular_flags in zip(
                document.chunks,
                entities_by_chunk[document_slice],
                extraction_passes.named_only_in_titles[document_slice],
                strict=True,
            )
            # A chunk's last entity may be a background topic without a flag; it is left out.
            for entity, is_titular in zip(chunk_entities, titular_flags, strict=False)
        ]
        extracted_documents.edges += _build_weighted_edges(
            document, entities_by_chunk[document_slice], extraction_passes.claims, extractor
        )
    for reader in (chunk_reader, extractor):
        extracted_documents.failures += reader.failures
        extracted_documents.drop_counts.update(reader.drop_counts)
        reader.failures.clear()
        reader.drop_counts.clear()
    return extracted_documents


def _limit_entity_of_untrusted_document(entity: FoundEntity, trust: float) -> FoundEntity:
    """Return the entity as a document of this trust may state it.

    Below a trust of 1 its aliases are valid in that document only, and it does not separate namesakes.
    Otherwise an untrusted "A, also known as B" could merge two known nodes, in whatever order the documents
    arrive (decision 100).
    """
    if trust >= 1:
        return entity
    return replace(entity, aliases=(), short_names=tuple({*entity.short_names, *entity.aliases}), sense="")


@dataclass(frozen=True)
class _ExtractedChunks:
    """The results of both passes: entities and flags by chunk in the order of the documents, claims by id.

    A flag is set for an entity that is named only in titles.
    """

    entities: list[Entities]
    named_only_in_titles: list[tuple[bool, ...]]
    claims: Mapping[ChunkId, Sequence[GroundedRelation]]


def _run_extraction_passes(
    documents: Sequence[ReadDocument],
    extractor: Extractor,
    vocabulary: Vocabulary,
    chunk_reader: ChunkReader,
) -> _ExtractedChunks:
    """Extract entities, then relations, from all chunks of these documents.

    The model is called here; work on the text is delegated to the chunk reader as plain values.
    """
    chunks = [chunk for document in documents for chunk in document.chunks]
    asking_extractor = extractor if isinstance(extractor, AskingExtractor) else None
    answered_extractor = asking_extractor.ask_entities(chunks, vocabulary) if asking_extractor else extractor
    chunk_entities_by_document = chunk_reader.extract_entities(
        (answered_extractor, vocabulary),
        [_empty_quarantined_texts(document.chunks) for document in documents],
    )
    entities_by_chunk = [
        entities for chunk_entities in chunk_entities_by_document for entities in chunk_entities.entities
    ]
    titular_flags = [
        flags for chunk_entities in chunk_entities_by_document for flags in chunk_entities.titular_flags
    ]
    if asking_extractor and vocabulary.attributes:
        attributed_entities = asking_extractor.ask_attributes(chunks, entities_by_chunk, vocabulary)
        entities_by_chunk = chunk_reader.extract_attributes(
            (answered_extractor, vocabulary), chunks, attributed_entities
        )
    # Pass 2 reads only chunks with at least two different entities (requirement 5.2); rules also read those
    # with one.
    min_entities = 1 if extractor.reads_lone_names else 2
    eligible_indexes = [
        index for index, chunk_entities in enumerate(entities_by_chunk) if len(chunk_entities) >= min_entities
    ]
    eligible_chunks, eligible_entities = (
        [chunks[index] for index in eligible_indexes],
        [entities_by_chunk[index] for index in eligible_indexes],
    )
    if asking_extractor:
        answered_extractor = asking_extractor.ask_relations(eligible_chunks, eligible_entities, vocabulary)
    relations_and_phrases = chunk_reader.extract_statements(
        (answered_extractor, vocabulary), eligible_chunks, eligible_entities
    )
    for index, (_, phrases) in zip(eligible_indexes, relations_and_phrases, strict=True):
        entities_by_chunk[index] = build_entities_with_statements(entities_by_chunk[index], phrases)
    claims = _check_claims_by_chunk_if_asked(
        extractor, eligible_chunks, eligible_entities, relations_and_phrases, vocabulary
    )
    return _ExtractedChunks(entities_by_chunk, titular_flags, claims)


def _check_claims_by_chunk_if_asked(
    extractor: Extractor,
    chunks: Sequence[ChunkText],
    entities_by_chunk: Sequence[Entities],
    relations_and_phrases: Sequence[RelationsAndPhrases],
    vocabulary: Vocabulary,
) -> dict[ChunkId, tuple[GroundedRelation, ...]]:
    """Return the claims by chunk, without those that a model does not confirm if the space has it asked."""
    claims_by_chunk = [relations for relations, _ in relations_and_phrases]
    if isinstance(extractor, ClaimCheckingExtractor):
        claims_by_chunk = extractor.check_claims(chunks, entities_by_chunk, claims_by_chunk, vocabulary)
    return dict(zip((chunk.id for chunk in chunks), claims_by_chunk, strict=True))


def _empty_quarantined_texts(chunks: Sequence[ChunkText]) -> list[ChunkText]:
    return [replace(chunk, text="") if chunk.is_quarantined else chunk for chunk in chunks]


def _build_weighted_edges(
    document: ReadDocument,
    entities_by_chunk: Sequence[Sequence[FoundEntity]],
    relations_by_chunk_id: Mapping[ChunkId, Sequence[GroundedRelation]],
    extractor: Extractor,
) -> list[EdgeDraft]:
    """Return the document's edges.

    Weights are relative to the largest of this ingest, and at most the trust in the document (requirement
    4.3).
    """
    stated_relations = [
        (chunk, chunk_entities, relation)
        for chunk, chunk_entities in zip(document.chunks, entities_by_chunk, strict=True)
        for relation in relations_by_chunk_id.get(chunk.id, ())
    ]
    weights = divide_weights_by_largest(
        [
            compute_raw_edge_weight(relation.confidence, relation.times_seen)
            for _, _, relation in stated_relations
        ]
    )
    edges = []
    for (chunk, chunk_entities, relation), weight in zip(stated_relations, weights, strict=True):
        source_entity, target_entity = (
            chunk_entities[relation.from_entity],
            chunk_entities[relation.to_entity],
        )
        edge_key = compute_key_of_extracted_edge(
            chunk_hash=document.hashes[chunk.id],
            prompt_version=extractor.prompt_version,
            model=extractor.model,
            from_name=source_entity.name,
            from_type=source_entity.node_type if extractor.separates_homonyms else "",
            to_name=target_entity.name,
            to_type=target_entity.node_type if extractor.separates_homonyms else "",
            relation_type=relation.relation_type,
        )
        edge_key = compute_key_of_qualified_claim(
            edge_key, relation.polarity, relation.valid_from, relation.valid_to
        )
        edges.append(
            EdgeDraft(
                chunk.id,
                normalise_name(source_entity.name),
                source_entity.node_type,
                normalise_name(target_entity.name),
                target_entity.node_type,
                relation,
                weight * document.source.trust,
                edge_key,
                document.source.id,
                _get_date_of_chunk(document, chunk),
            )
        )
    return edges


def _get_date_of_chunk(document: ReadDocument, chunk: ChunkText) -> datetime | None:
    """Return the date of the conversation turn, else of the document."""
    return document.drafts[chunk.id].said_at or document.dated_at
