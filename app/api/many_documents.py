"""Operations on many documents at once, for clients that synchronize a folder with a space."""

from collections.abc import Sequence
from uuid import UUID

from fastapi import APIRouter
from pydantic import Field

from app.api.protocol.route import ApiRoute
from app.api.sessions import WritableSpace
from app.api.shapes import Body
from app.documents import service as documents
from app.errors import InvalidInput
from app.http.input_text import Address, Id
from app.ids import DocumentId
from app.ingest import service as ingest
from app.limits import DOCUMENTS_CHANGED
from app.views.documents import RemovalAnswer
from app.views.view import View

router = APIRouter(prefix="/v1/spaces/{space_id}/documents", tags=["documents"], route_class=ApiRoute)


class MoveBody(Body):
    """A document and its new address."""

    id: Id
    source_uri: Address


class MovesBody(Body):
    """Documents that get new addresses in one transaction."""

    documents: list[MoveBody] = Field(min_length=1, max_length=DOCUMENTS_CHANGED.maximum)


class MovedAnswer(View):
    """The number of documents that were moved."""

    documents: int


class RemovalsBody(Body):
    """Documents that are to be removed one after the other."""

    document_ids: list[Id] = Field(min_length=1, max_length=DOCUMENTS_CHANGED.maximum)
    prune: bool | None = Field(
        None,
        description="Also remove what loses its last evidence; the default is the space's prune_deleted.",
    )


class RemovalsAnswer(View):
    """The receipt for the removal of each document, in the order of the request."""

    removals: list[RemovalAnswer]


@router.post("/move")
def move_documents(space: WritableSpace, new_addresses: MovesBody) -> MovedAnswer:
    """Give documents new addresses, possibly those that others of them give up; nothing is read again.

    A title that was the name of the file becomes the new name. 404, 409 same_address for an address that
    another document keeps.
    """
    _refuse_duplicates([move.id for move in new_addresses.documents])
    address_by_document = {DocumentId(move.id): move.source_uri for move in new_addresses.documents}
    if len(set(address_by_document.values())) < len(address_by_document):
        raise InvalidInput("Two documents of one request have one address.", code="duplicate_source_uri")
    documents.change_document_addresses(space, address_by_document)
    return MovedAnswer(documents=len(address_by_document))


@router.post("/preview-removals")
def preview_removals(space: WritableSpace, body: RemovalsBody) -> RemovalsAnswer:
    """Report what removing these documents, one after the other, would change; nothing is changed. 404."""
    _refuse_duplicates(body.document_ids)
    removals = ingest.preview_removals(
        space, [DocumentId(document_id) for document_id in body.document_ids], prune=body.prune
    )
    return RemovalsAnswer(removals=[RemovalAnswer.model_validate(removal) for removal in removals])


def _refuse_duplicates(document_ids: Sequence[UUID]) -> None:
    """Raise InvalidInput if a document is named twice."""
    if len(set(document_ids)) < len(document_ids):
        raise InvalidInput("A document is named twice.", code="duplicate_document")
