"""Documents of a space: the list, the text with every sentence that an edge rests on, and taking one out."""

from typing import Annotated, Literal
from uuid import UUID

from fastapi import APIRouter, Query
from fastapi.responses import Response

from app.dashboard.deps import Page, Place, ReadableSpace, WritableSpace
from app.dashboard.routing import PageRoute
from app.dashboard.space.marked_text import marked
from app.documents import service as documents
from app.edge.admission import DASHBOARD
from app.graph import service as graph
from app.ids import ChunkId, DocumentId
from app.ingest import service as ingest

router = APIRouter(
    prefix=DASHBOARD + "/spaces/{space_id}/documents", route_class=PageRoute, include_in_schema=False
)

SHOWN = 40
CHUNKS_SHOWN = 20

State = Literal["queued", "processing", "ready", "failed"]


@router.get("")
def list_documents(
    page: Page,
    place: Place,
    space: ReadableSpace,
    state: Annotated[State | None, Query()] = None,
    after: Annotated[UUID | None, Query()] = None,
) -> Response:
    """The documents, newest first."""
    found = documents.list_documents(space, state=state, after=after, limit=SHOWN + 1)
    return page.show(
        "space/documents.html",
        place=place,
        active="documents",
        documents=found[:SHOWN],
        state=state,
        after=after,
        following=found[SHOWN - 1].id if len(found) > SHOWN else None,
    )


@router.get("/{document_id}")
def show_document(
    page: Page,
    place: Place,
    space: ReadableSpace,
    document_id: UUID,
    after: Annotated[int | None, Query(ge=0)] = None,
) -> Response:
    """The passages of the document, with the words marked that an edge rests on."""
    document = documents.get_document(space, DocumentId(document_id))
    chunks = documents.list_chunks(space, DocumentId(document_id), after=after, limit=CHUNKS_SHOWN + 1)
    shown = chunks[:CHUNKS_SHOWN]
    edges = graph.edges_of_chunks(space, [ChunkId(each.id) for each in shown])
    return page.show(
        "space/document.html",
        place=place,
        active="documents",
        document=document,
        passages=[(each, marked(each.text, edges, ChunkId(each.id))) for each in shown],
        after=after,
        following=shown[-1].ordinal if len(chunks) > CHUNKS_SHOWN else None,
    )


@router.post("/{document_id}/delete")
def delete_document(page: Page, place: Place, space: WritableSpace, document_id: UUID) -> Response:
    """Take the document out, with its passages and all that it alone says."""
    ingest.remove_document(space, DocumentId(document_id))
    return page.go(f"{place.path}/documents")
