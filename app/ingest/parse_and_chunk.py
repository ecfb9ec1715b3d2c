"""From submitted bytes to stored chunks: parse, chunk, reuse unchanged chunks, embed new ones."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import structlog

from app.db.session import SpaceSession
from app.documents import ingest_steps
from app.documents.isolated_parsing import (
    ReadText,
    UnparsedDocument,
    UnreadableDocument,
    parse_and_split_document_in_child,
)
from app.documents.parsers.limits import ParseLimits
from app.documents.shapes import NewChunk, RawDocument, StoredChunk
from app.domain.table_headers import prepend_table_header
from app.errors import CitegraphError
from app.extraction.imported import ImportedExtractor
from app.extraction.shapes import Extractor
from app.graph.write import chunk_removal, word_erasure
from app.graph.write.embedding import embed_texts_for_postgres, lock_vector_set_for_writing
from app.ids import ChunkId, DocumentId
from app.ingest.chunk_reuse import assign_stored_or_new_chunk_ids
from app.ingest.derived_texts import delete_summaries_and_reports
from app.ingest.read_document import DocumentChunk, ReadDocument
from app.ingest.replace_reading import queue_chunks_to_reread
from app.llm.embedding.embedders import Embedder
from app.llm.model_calls import service as llm
from app.sandbox.process_sandbox import Session, do_nothing
from app.settings import Settings
from app.tenancy.spaces import service as spaces

log = structlog.get_logger(__name__)


def build_parse_limits(settings: Settings) -> ParseLimits:
    """Return the maximum size of one document in this installation."""
    return ParseLimits(
        settings.max_document_characters, settings.max_document_rows, settings.max_document_values
    )


@dataclass(frozen=True)
class TextReader:
    """Parses and chunks documents in a sandbox session, within the limits of the settings."""

    session: Session
    settings: Settings
    max_tokens: int
    while_waiting: Callable[[], None] = do_nothing

    def parse_and_chunk_document(self, source: RawDocument) -> ReadText:
        """Return the text of one document in chunks. Raises like `parse_and_split_document_in_child`."""
        unparsed_document = UnparsedDocument(
            source.raw,
            source.format,
            source.language,
            source.date,
            self.max_tokens,
            self.settings.max_document_chunks,
            build_parse_limits(self.settings),
        )
        return parse_and_split_document_in_child(
            self.session,
            unparsed_document,
            seconds=self.settings.parse_seconds,
            while_waiting=self.while_waiting,
        )


class ReadDocuments(NamedTuple):
    """The documents that could be read, and those that could not, each with its error."""

    documents: list[ReadDocument]
    failures: list[tuple[DocumentId, CitegraphError]]


def parse_and_chunk_documents(
    sources: Sequence[RawDocument],
    stored_chunks: Sequence[StoredChunk],
    text_reader: TextReader,
    extractor: Extractor,
    unreadable_chunk_ids: Collection[ChunkId] = (),
    *,
    reads_again: bool = False,
) -> ReadDocuments:
    """Return the documents that could be read, and those that could not, each with its error.

    A chunk that is already stored keeps its id; it is wanted only if its document's extractor has not
    finished reading it. The extractor is `extractor`, except for documents that bring their own extraction.
    In a document that was finished except for quarantined chunks, only these are wanted.
    `unreadable_chunk_ids` are chunks that this job has already tried and recorded as errors. With
    `reads_again` every other chunk is wanted, except in documents that bring their own extraction.
    """
    documents: list[ReadDocument] = []
    failures: list[tuple[DocumentId, CitegraphError]] = []
    for source in sources:
        try:
            read_text = text_reader.parse_and_chunk_document(source)
            imported_extractor = ImportedExtractor(source.raw) if source.format == "extraction" else None
        except CitegraphError as error:
            if isinstance(error, UnreadableDocument):
                log.error("unreadable_document", document=str(source.id), trace=error.trace)
            failures.append((source.id, error))
            continue
        document = ReadDocument(
            source,
            read_text.text,
            source.title or read_text.title or source.file_name,
            read_text.language,
            imported_extractor or extractor,
            read_text.dated_at,
            dropped_marks=read_text.dropped_marks,
            omission_notes=read_text.left_out,
            encoding=read_text.encoding,
            message_id=read_text.message_id,
            in_reply_to=read_text.in_reply_to,
        )
        assign_stored_or_new_chunk_ids(
            document,
            read_text.drafts,
            stored_chunks,
            unreadable_chunk_ids,
            reads_again=reads_again and imported_extractor is None,
        )
        documents.append(document)
    return ReadDocuments(documents, failures)


def find_vectors_of_twins_by_chunk_hash(
    space: SpaceSession, new_chunks: Sequence[DocumentChunk]
) -> dict[str, str]:
    """Return the stored vectors, by chunk hash, of new chunks whose document already exists at another
    address.
    """
    chunk_hashes = {
        document.hashes[chunk_id]
        for document, chunk_id in new_chunks
        if document.source.twin_title is not None
    }
    return ingest_steps.find_stored_vectors_by_chunk_hash(space, chunk_hashes) if chunk_hashes else {}


class NewVectors(NamedTuple):
    """The vectors of new chunks in pgvector's text format, and the chunks without a usable vector."""

    vector_by_chunk: dict[ChunkId, str | None]
    chunks_without_vector: list[ChunkId]


def embed_new_chunks(
    new_chunks: Sequence[DocumentChunk], embedder: Embedder, stored_vectors: Mapping[str, str]
) -> NewVectors:
    """Return the vectors of new chunks in pgvector's text format, and the chunks without a usable vector.

    Chunks of several documents are embedded in one batch. Chunks without a usable vector
    (docs/reliability.md, bad inputs 44 and 45) are stored without one. `stored_vectors` are vectors by
    chunk hash, which are not computed again.
    """
    vector_by_chunk: dict[ChunkId, str | None] = {
        chunk_id: stored_vectors.get(document.hashes[chunk_id]) for document, chunk_id in new_chunks
    }
    unknown_chunks = [
        (document, chunk_id) for document, chunk_id in new_chunks if vector_by_chunk[chunk_id] is None
    ]
    drafts = [document.drafts[chunk_id] for document, chunk_id in unknown_chunks]
    vectors = embed_texts_for_postgres(
        [prepend_table_header(draft.text, draft.heading_path) for draft in drafts], embedder
    )
    vector_by_chunk.update(zip([chunk_id for _, chunk_id in unknown_chunks], vectors, strict=True))
    chunks_without_vector = [chunk_id for chunk_id, vector in vector_by_chunk.items() if vector is None]
    return NewVectors(vector_by_chunk, chunks_without_vector)


def store_new_chunks(
    space: SpaceSession,
    new_chunks: Sequence[DocumentChunk],
    vectors_by_chunk: Mapping[ChunkId, str | None],
    *,
    vector_set: int,
) -> None:
    """Write new chunks with vectors of the set `vector_set`. Raises like `lock_vector_set_for_writing`."""
    lock_vector_set_for_writing(space, vector_set)
    ingest_steps.store_chunks(
        space,
        [
            NewChunk(
                chunk_id,
                document.source.id,
                document.drafts[chunk_id],
                document.hashes[chunk_id],
                vectors_by_chunk[chunk_id],
            )
            for document, chunk_id in new_chunks
        ],
    )


def switch_documents_to_new_text(space: SpaceSession, documents: Sequence[ReadDocument]) -> None:
    """Replace the visible text of the documents by the new one; unchanged chunks get their new positions."""
    ingest_steps.store_texts_and_moved_chunks(
        space,
        texts=[document.to_document_text() for document in documents],
        moved_chunks=[
            (chunk_id, document.drafts[chunk_id])
            for document in documents
            for chunk_id in document.moved_chunk_ids
        ],
    )


def delete_replaced_chunks_and_erase_their_words(space: SpaceSession, chunk_ids: Sequence[ChunkId]) -> None:
    """Delete chunks that their documents no longer have, and remove them from the graph."""
    if chunk_ids:
        spaces.lock_graph_and_increment_revision(space)
        ingest_steps.lock_chunks_and_clear_word_index(space, chunk_ids)
        llm.delete_answers_only_about_chunks(space, chunk_ids)
        traces = chunk_removal.remove_traces_of_chunks_from_graph(space, chunk_ids, is_text_replaced=True)
        ingest_steps.delete_chunks(space, chunk_ids)
        erased_names = word_erasure.erase_unattested_names(space, traces)
        delete_summaries_and_reports(space, erased_names.described_node_ids)
        queue_chunks_to_reread(space, erased_names.chunk_ids_to_reread)
