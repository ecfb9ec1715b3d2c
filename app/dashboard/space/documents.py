"""Documents of a space: the list, the text with its marked evidence, retrying, and deleting one."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal
from urllib.parse import urlencode
from uuid import UUID

from fastapi import APIRouter, Depends, Form, Query
from fastapi.responses import RedirectResponse, Response

from app.dashboard.deps import (
    CitegraphDep,
    PageSpaceDep,
    ReadableSpace,
    Renderer,
    WritableSpace,
    WritableSpaceOpener,
)
from app.dashboard.routing import PageRoute
from app.dashboard.space.marked_text import group_stretches, split_text_at_marks
from app.dashboard.space.uploads import build_upload_values
from app.db.models import Document, KnowledgeChunk
from app.db.session import SpaceSession
from app.documents import service as documents
from app.documents.format_registry import FORMATS
from app.documents.shapes import DocumentFilter
from app.domain.char_range import CharRange
from app.errors import NotFound
from app.graph import chunk_contents
from app.graph import service as graph
from app.http.authentication import DASHBOARD_PATH
from app.http.edit_versions.shapes import Kind
from app.ids import ChunkId, DocumentId, JobId
from app.ingest import service as ingest

router = APIRouter(
    prefix=DASHBOARD_PATH + "/spaces/{space_id}/documents", route_class=PageRoute, include_in_schema=False
)

PAGE_SIZE = 40
CHUNKS_PAGE_SIZE = 20
MAX_SEARCH_CHARACTERS = 200
STATES = ("ready", "processing", "queued", "failed")


@dataclass(frozen=True)
class ListQuery:
    """The filters of the list, as encoded in its address."""

    state: str | None
    format: str | None
    q: str
    job: UUID | None
    shown: int = 0
    """Number of rows that a script that continues the search has shown already."""

    @property
    def document_filter(self) -> DocumentFilter:
        """Return the filters in the form that the service takes."""
        words = " ".join(self.q.replace("\x00", "").split())
        return DocumentFilter(self.state, self.format, words, None if self.job is None else JobId(self.job))

    @property
    def is_filtered(self) -> bool:
        """Return whether any filter is set."""
        return bool(self.state or self.format or self.q or self.job)

    def address(self, **changed: object) -> str:
        """Return the query string with some fields changed; empty fields are omitted."""
        parameters: dict[str, object] = {
            "state": self.state,
            "format": self.format,
            "q": self.q,
            "job": self.job,
        }
        return "?" + urlencode({name: value for name, value in {**parameters, **changed}.items() if value})


@dataclass(frozen=True)
class CitationQuery:
    """The words to which a citation links: their chunk, and their range in the document's text."""

    chunk: UUID | None
    start: int
    end: int

    def find_chunk(self, space: SpaceSession, document_id: UUID) -> KnowledgeChunk | None:
        """Return the current chunk; None without a citation, or if the document no longer has it."""
        if self.chunk is None:
            return None
        try:
            chunk = documents.get_chunk(space, ChunkId(self.chunk))
        except NotFound:
            return None
        return chunk if chunk.document_id == document_id else None

    def get_cited_range(self, chunk: KnowledgeChunk) -> CharRange | None:
        """Return the range of the words in the text of this chunk; None if another chunk is cited.

        The range is the whole text if the words no longer fit into it.
        """
        if chunk.id != self.chunk:
            return None
        start, end = self.start - chunk.char_start, self.end - chunk.char_start
        return (start, end) if 0 <= start < end <= len(chunk.text) else (0, len(chunk.text))


def _parse_citation_query(
    chunk: Annotated[UUID | None, Query()] = None,
    start: Annotated[int, Query()] = 0,
    end: Annotated[int, Query()] = 0,
) -> CitationQuery:
    return CitationQuery(chunk, start, end)


def _parse_list_query(
    state: Annotated[Literal["", "queued", "processing", "ready", "failed"], Query()] = "",
    format: Annotated[str, Query(max_length=20)] = "",
    q: Annotated[str, Query(max_length=MAX_SEARCH_CHARACTERS)] = "",
    job: Annotated[UUID | None, Query()] = None,
    shown: Annotated[int, Query(ge=0, le=PAGE_SIZE)] = 0,
) -> ListQuery:
    return ListQuery(state or None, format if format in FORMATS else None, q.strip(), job, shown)


@router.get("")
def list_documents(
    page: Renderer,
    citegraph: CitegraphDep,
    page_space: PageSpaceDep,
    space: ReadableSpace,
    list_query: Annotated[ListQuery, Depends(_parse_list_query)],
    after: Annotated[UUID | None, Query()] = None,
    before: Annotated[UUID | None, Query()] = None,
) -> Response:
    """Show the documents, newest first; `after` and `before` are cursors to older and newer ones.

    A search examines a bounded number of documents per request; a script repeats it until a page is full.
    """
    search_result = documents.search_documents(
        space,
        list_query.document_filter,
        after=after,
        before=before,
        limit=PAGE_SIZE + 1,
        max_documents=documents.MAX_SEARCHED_DOCUMENTS,
    )
    found_documents, last_reached_id = search_result.documents, search_result.last_read_id
    has_more = len(found_documents) > PAGE_SIZE
    page_documents = found_documents[-PAGE_SIZE:] if before is not None else found_documents[:PAGE_SIZE]
    # After several requests have filled a page, the visitor decides whether the search continues.
    template_values: dict[str, Any] = {
        "documents": page_documents,
        "asked": list_query,
        "reached": last_reached_id if before is None else None,
        "searched": documents.MAX_SEARCHED_DOCUMENTS,
        "seen": list_query.shown + len(page_documents),
        "full": list_query.shown + len(page_documents) >= PAGE_SIZE,
        "older": page_documents[-1].id if page_documents and (has_more or before is not None) else None,
    }
    if page.is_fragment:
        return page.show("space/document_rows.html", page_space=page_space, **template_values)
    return page.show(
        "space/documents.html",
        **build_upload_values(citegraph.settings, page_space, {}),
        **template_values,
        states=STATES,
        formats=list(FORMATS),
        newer=_get_newer_cursor(
            page_documents, last_reached_id, has_more=has_more, after=after, before=before
        ),
        failed=documents.count_failed_documents(space)
        if page_space.may_write and list_query.state == "failed"
        else 0,
    )


def _get_newer_cursor(
    page_documents: Sequence[Document],
    last_reached_id: UUID | None,
    *,
    has_more: bool,
    after: UUID | None,
    before: UUID | None,
) -> UUID | None:
    """Return the `before` cursor of the page with newer documents; None if these are the newest."""
    if before is None:
        return None if after is None else page_documents[0].id if page_documents else after
    if has_more and page_documents:
        return page_documents[0].id
    return last_reached_id


@router.get("/chunks/{chunk_id}")
def redirect_to_chunk(page_space: PageSpaceDep, space: ReadableSpace, chunk_id: UUID) -> Response:
    """Redirect to the chunk in the text of its document, for visitors who have only a citation."""
    chunk = documents.get_chunk(space, ChunkId(chunk_id))
    page_query = f"?after={chunk.ordinal - 2}" if chunk.ordinal > 1 else ""
    return RedirectResponse(
        f"{page_space.path}/documents/{chunk.document_id}{page_query}#p{chunk.ordinal}", 303
    )


@router.post("/retry-failed")
def retry_failed(
    page: Renderer, citegraph: CitegraphDep, page_space: PageSpaceDep, space_opener: WritableSpaceOpener
) -> Response:
    """Queue failed documents, and quarantined chunks of others, again in one job."""
    ingest.check_room_for_ingest_job(citegraph.database, page_space.tenant_id)
    job_id = space_opener.run_in_transaction(
        lambda space: documents.retry_failed_documents_in_new_job(space)[0].id
    )
    return page.redirect(f"{page_space.path}/jobs/{job_id}")


@router.get("/{document_id}")
def show_document(
    page: Renderer,
    page_space: PageSpaceDep,
    space: ReadableSpace,
    document_id: UUID,
    citation: Annotated[CitationQuery, Depends(_parse_citation_query)],
    after: Annotated[int | None, Query(ge=0)] = None,
) -> Response:
    """Show the text of the document, with the words marked that state an edge or name a node.

    With a citation the text begins just before the cited chunk, and the cited words are marked too.
    """
    document = documents.get_document(space, DocumentId(document_id))
    cited_chunk = citation.find_chunk(space, document.id)
    if cited_chunk is not None:
        after = cited_chunk.ordinal - 2 if cited_chunk.ordinal > 1 else None
    chunks = documents.list_chunks(space, DocumentId(document_id), after=after, limit=CHUNKS_PAGE_SIZE + 1)
    page_chunks = chunks[:CHUNKS_PAGE_SIZE]
    chunk_ids = [ChunkId(chunk.id) for chunk in page_chunks]
    edges = graph.list_edges_stated_in_chunks(space, chunk_ids)
    mentions = chunk_contents.list_nodes_mentioned_in_chunks(space, chunk_ids)
    previous_page_after = None if after is None else after - CHUNKS_PAGE_SIZE
    return page.show(
        "space/document.html",
        page_space=page_space,
        active="documents",
        document=document,
        quarantined=documents.list_first_quarantined_chunks(space, document),
        answered_mails=documents.find_answered_mails(space, [document, *page_chunks]),
        passages=[
            (
                chunk,
                group_stretches(
                    split_text_at_marks(
                        chunk.text, edges, ChunkId(chunk.id), mentions, citation.get_cited_range(chunk)
                    )
                ),
            )
            for chunk in page_chunks
        ],
        edges=len(edges),
        cited=cited_chunk is not None,
        earlier=previous_page_after,
        after=after,
        following=page_chunks[-1].ordinal if len(chunks) > CHUNKS_PAGE_SIZE else None,
    )


@router.post("/{document_id}/retry")
def retry_document(
    page: Renderer,
    citegraph: CitegraphDep,
    page_space: PageSpaceDep,
    space_opener: WritableSpaceOpener,
    document_id: UUID,
) -> Response:
    """Queue a failed document, or the quarantined chunks of a document, again."""
    ingest.check_room_for_ingest_job(citegraph.database, page_space.tenant_id)
    space_opener.run_in_transaction(
        lambda space: documents.retry_document_in_new_job(space, DocumentId(document_id))
    )
    return page.redirect(f"{page_space.path}/documents/{document_id}")


@router.get("/{document_id}/delete")
def show_removal(
    page: Renderer,
    page_space: PageSpaceDep,
    space: WritableSpace,
    document_id: UUID,
    prune: Annotated[bool | None, Query()] = None,
) -> Response:
    """Show what deleting the document would change: the deletion is done, counted and rolled back."""
    page.add_versions_to_forms(space, Kind.DOCUMENT, [document_id])
    document = documents.get_document(space, DocumentId(document_id))
    wants_pruning = space.settings.prune_deleted if prune is None else prune
    return page.show(
        "space/removal.html",
        page_space=page_space,
        active="documents",
        document=document,
        removal=ingest.preview_removal(space, DocumentId(document_id), prune=wants_pruning),
        prune=wants_pruning,
        done=False,
    )


@router.post("/{document_id}/delete")
def delete_document(
    page: Renderer,
    page_space: PageSpaceDep,
    space: WritableSpace,
    document_id: UUID,
    prune: Annotated[bool | None, Form()] = None,
) -> Response:
    """Delete the document with its chunks and all that it alone states; the receipt counts the deletions."""
    document = documents.get_document(space, DocumentId(document_id))
    title, size = document.title, document.byte_size
    removal = ingest.delete_document_with_all_its_words(space, DocumentId(document_id), prune=prune)
    return page.show(
        "space/removal.html",
        page_space=page_space,
        active="documents",
        document={"title": title, "byte_size": size, "id": document_id},
        removal=removal,
        prune=space.settings.prune_deleted if prune is None else prune,
        done=True,
    )
