"""Read stored chunks again with another model or other settings, exactly like an ingest; writes nothing."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from app.documents.ingest_steps import StartedDocuments
from app.extraction.vocabulary import build_vocabulary
from app.ids import ChunkId
from app.ingest.contained_reading import ChunkReader
from app.ingest.extraction_passes import ExtractedDocuments, extract_documents
from app.ingest.extractor_choice import JobExtraction
from app.ingest.parse_and_chunk import TextReader, parse_and_chunk_documents
from app.ingest.parts import do_documents_fit_one_part, split_documents_into_parts
from app.ingest.read_document import ReadDocument
from app.jobs.context import JobContext
from app.space_settings import EffectiveSettings

CUT_OTHERWISE_CODE = "cut_otherwise"
"""Error code of a chunk that is no longer produced by chunking its document: the settings changed, or it
was imported.
"""


@dataclass(frozen=True)
class ReadPart:
    """Chunks that were read, with their documents and extractions, and the error codes of unread chunks."""

    chunks: Sequence[ChunkId]
    documents: Sequence[ReadDocument] = ()
    extractions: Sequence[ExtractedDocuments] = ()
    unread_reasons: Mapping[ChunkId, str] = field(default_factory=dict)


def reread_documents_in_parts(
    run: JobContext,
    extraction: JobExtraction,
    effective_settings: EffectiveSettings,
    started_documents: StartedDocuments,
    chunk_ids: Collection[ChunkId],
) -> Iterator[ReadPart]:
    """Yield the results for these chunks part by part; each chunk is in one part, read or unread."""
    document_by_chunk = {
        row.id: row.document_id for row in started_documents.stored_chunks if row.id in chunk_ids
    }
    with extraction.sandbox.open_session() as session:
        reader = TextReader(
            session, run.settings, effective_settings.chunk_tokens, run.run_waiting_job_of_other_tenant
        )
        documents, failures = parse_and_chunk_documents(
            started_documents.sources,
            started_documents.stored_chunks,
            reader,
            extraction.new_extractor(),
            reads_again=True,
        )
    processed_chunk_ids: set[ChunkId] = set()
    for part in extract_chunks_in_parts(run, extraction, effective_settings, documents, document_by_chunk):
        processed_chunk_ids.update(part.chunks)
        yield part
    code_by_document = {document_id: error.code for document_id, error in failures}
    remaining_chunk_ids = sorted(document_by_chunk.keys() - processed_chunk_ids)
    if remaining_chunk_ids:
        code_by_unread_chunk = {
            chunk_id: code_by_document.get(document_by_chunk[chunk_id], CUT_OTHERWISE_CODE)
            for chunk_id in remaining_chunk_ids
        }
        yield ReadPart(remaining_chunk_ids, unread_reasons=code_by_unread_chunk)


def extract_chunks_in_parts(
    run: JobContext,
    extraction: JobExtraction,
    effective_settings: EffectiveSettings,
    documents: list[ReadDocument],
    chunk_ids: Collection[ChunkId],
) -> Iterator[ReadPart]:
    """Yield what these chunks of the documents say, part by part; the other chunks are context."""
    settings = run.settings
    for document in documents:
        document.chunks = [replace(text, is_wanted=text.id in chunk_ids) for text in document.chunks]
    vocabulary = build_vocabulary(effective_settings)
    document_parts = (
        [documents]
        if do_documents_fit_one_part(documents)
        else split_documents_into_parts(documents, context_chunk_count=max(vocabulary.turns_before, 3))
    )
    for documents_of_part in document_parts:
        wanted_ids = [text.id for document in documents_of_part for text in document.chunks if text.is_wanted]
        if not wanted_ids:
            continue
        run.raise_if_stop_requested()
        with extraction.sandbox.open_session() as session:
            chunk_reader = ChunkReader(
                session,
                settings.chunk_seconds,
                settings.document_seconds,
                run.run_waiting_job_of_other_tenant,
            )
            extractions = extract_documents(documents_of_part, vocabulary, chunk_reader)
        code_by_unread_chunk = {
            failure.chunk_id: failure.code
            for extraction_result in extractions
            for failure in extraction_result.failures
        }
        yield ReadPart(wanted_ids, documents_of_part, extractions, code_by_unread_chunk)
