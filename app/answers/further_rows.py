"""Read rows that answer a question and were not retrieved, so that the list of a table is complete."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime

from app.answers import repository
from app.answers.context import build_context_with_ended_claims, build_context_with_later_statements
from app.answers.shapes import Context, Source, TableCells
from app.db.session import SpaceSession
from app.graph.invalidation import service as invalidation
from app.ids import ChunkId
from app.limits import TABLE_CHUNKS
from app.retrieval.shapes import RetrievalResult

_MAX_STATEMENTS_OF_FURTHER_CHUNKS = 5_000
"""Maximum number of ended claims, and of later statements, of further chunks: a few for each row."""


def build_context_with_further_table_chunks(
    space: SpaceSession,
    context: Context,
    retrieval: RetrievalResult,
    tables: Sequence[TableCells],
    *,
    moment: datetime | None,
    as_of: datetime | None,
) -> Context:
    """Return the context with other chunks of these tables that contain the asked cells as further sources.

    At most `TABLE_CHUNKS` are added, beyond the context's budget; `truncated` says if there are
    more. Claims that ended by `moment`, and statements made after `as_of`, are added for them too.
    """
    max_chunks = TABLE_CHUNKS.maximum
    chunks = repository.find_chunks_with_cells(
        space, tables, _list_chunks_that_are_whole_sources(context, retrieval), limit=max_chunks + 1
    )
    if not chunks:
        return context
    source_by_document = {source.document_id: source for source in context.sources}
    further_sources = [
        Source(
            number,
            chunk.id,
            chunk.document_id,
            source_by_document[chunk.document_id].document_title,
            tuple(chunk.heading_path),
            chunk.text,
            chunk.char_start,
            chunk.place,
            source_by_document[chunk.document_id].trust,
        )
        for number, chunk in enumerate(chunks[:max_chunks], len(context.sources) + 1)
    ]
    has_more_chunks = len(chunks) > max_chunks
    note = f"More than {max_chunks} further chunks hold rows of these tables; the others were not read."
    extended_context = replace(
        context,
        sources=(*context.sources, *further_sources),
        truncated=(*context.truncated, *((note,) if has_more_chunks else ())),
    )
    return _build_context_with_ended_claims_of_chunks(
        space, extended_context, [source.chunk_id for source in further_sources], moment, as_of
    )


def build_context_without_uncited_new_sources(
    context: Context, context_before: Context, cited_numbers: Collection[int]
) -> Context:
    """Return the context with only those sources that are in `context_before` or are cited."""
    known_numbers = {source.number for source in context_before.sources}
    return replace(
        context,
        sources=tuple(
            source
            for source in context.sources
            if source.number in known_numbers or source.number in cited_numbers
        ),
    )


def _list_chunks_that_are_whole_sources(context: Context, retrieval: RetrievalResult) -> list[ChunkId]:
    """Return the chunks whose whole text is a source."""
    source_texts = {(source.chunk_id, source.text) for source in context.sources}
    return [
        passage.chunk_id for passage in retrieval.passages if (passage.chunk_id, passage.text) in source_texts
    ]


def _build_context_with_ended_claims_of_chunks(
    space: SpaceSession,
    context: Context,
    chunk_ids: Sequence[ChunkId],
    moment: datetime | None,
    as_of: datetime | None,
) -> Context:
    """Return the context with the ended claims and later statements of these chunks added to its own."""
    claims = invalidation.list_ended_claims_in_chunks(
        space, chunk_ids, as_of=moment, limit=_MAX_STATEMENTS_OF_FURTHER_CHUNKS
    )
    further_context = build_context_with_ended_claims(replace(context, ended_quotes=()), claims)
    if as_of is not None:
        later_sentences = invalidation.list_sentences_stated_later(
            space, chunk_ids, as_of=as_of, limit=_MAX_STATEMENTS_OF_FURTHER_CHUNKS
        )
        further_context = build_context_with_later_statements(
            replace(further_context, later_quotes=()), later_sentences
        )
    return replace(
        context,
        ended_quotes=(*context.ended_quotes, *further_context.ended_quotes),
        later_quotes=tuple(dict.fromkeys((*context.later_quotes, *further_context.later_quotes))),
    )
