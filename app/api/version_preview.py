"""A preview of the changes that a new version of a document would make."""

from uuid import UUID

from fastapi import APIRouter, Request
from pydantic import Field

from app.api.key_scopes import CitegraphDep
from app.api.protocol.route import ApiRoute
from app.api.protocol.tenant_slots import BulkheadsDep
from app.api.sessions import WritableSpaceOpener
from app.api.submission_bodies import REQUEST_BODY, Submissions
from app.errors import InvalidInput
from app.http.client_disconnect import run_unless_hung_up
from app.http.input_text import Id
from app.ids import DocumentId
from app.ingest.version_changes import ChangeKind
from app.ingest.version_preview import VersionPreview, preview_version
from app.views.view import View

router = APIRouter(prefix="/v1/spaces/{space_id}/documents", tags=["documents"], route_class=ApiRoute)


class WordsAnswer(View):
    """Some words of a chunk, and whether the other version lacks them."""

    text: str
    differs: bool


class ChunkChangeAnswer(View):
    """A pair of chunks that differ, with their words; or a run of `count` unchanged chunks."""

    kind: ChangeKind
    old_ordinal: int | None
    new_ordinal: int | None
    count: int
    old: list[WordsAnswer]
    new: list[WordsAnswer]


class EndingClaimAnswer(View):
    """A claim whose only evidence is in chunks that the new version removes."""

    edge_id: UUID
    chunk_id: UUID
    from_name: str
    relation_type: str
    to_name: str
    quote: str
    confidence: float
    restated: bool = Field(description="Whether rules extract it again from the new text.")


class NewClaimAnswer(View):
    """A claim that rules extract from a new chunk."""

    from_name: str
    relation_type: str
    to_name: str
    quote: str
    confidence: float


class VersionPreviewAnswer(View):
    """The changes that a new version would make."""

    content_hash: str
    version: int = Field(description="The current version.")
    is_current: bool = Field(
        description="Whether the content is that of the current version, so that nothing would change."
    )
    unchanged: int = Field(description="Unchanged chunks.")
    removed: int = Field(description="Removed chunks.")
    added: int = Field(description="New chunks.")
    changes: list[ChunkChangeAnswer] = Field(description="At most 60; `hidden_changes` more are not shown.")
    hidden_changes: int
    ending_claims: list[EndingClaimAnswer] = Field(description="At most 200.")
    new_claims: list[NewClaimAnswer] | None = Field(
        description="What rules extract from the new chunks; null if there are too many. No model is called."
    )


@router.post("/{document_id}/preview", openapi_extra={"requestBody": REQUEST_BODY})
async def preview_document(
    request: Request,
    bulkheads: BulkheadsDep,
    batch: Submissions,
    space_opener: WritableSpaceOpener,
    citegraph: CitegraphDep,
    document_id: Id,
) -> VersionPreviewAnswer:
    """Report what this content would change as the next version of the document; nothing is stored.

    404, 413, 415, 422 one_document_only, or why it cannot be read; 429 too_many_estimates.
    """
    submission, *attachments = batch.submissions
    # Attachments of a mail are not part of its version.
    address_prefix = f"{submission.source_uri}/" if submission.source_uri else None
    if any(
        address_prefix is None or not (attachment.source_uri or "").startswith(address_prefix)
        for attachment in attachments
    ):
        raise InvalidInput("A version is one document.", code="one_document_only")

    def preview() -> VersionPreview:
        return preview_version(
            citegraph.database,
            space_opener.tenant_id,
            space_opener.space_id,
            DocumentId(document_id),
            submission,
            citegraph.settings,
            citegraph.sandbox,
        )

    async with bulkheads.estimates.occupy_slot(space_opener.tenant_id):
        return _build_preview_answer(await run_unless_hung_up(request, bulkheads.estimates, preview))


def _build_preview_answer(version_preview: VersionPreview) -> VersionPreviewAnswer:
    return VersionPreviewAnswer.from_value(
        version_preview,
        changes=[
            ChunkChangeAnswer.from_value(
                shown_change.change,
                old_ordinal=shown_change.change.old_index,
                new_ordinal=shown_change.change.new_index,
                old=shown_change.old,
                new=shown_change.new,
            )
            for shown_change in version_preview.shown_changes
        ],
        ending_claims=[
            EndingClaimAnswer.from_value(claim, restated=version_preview.does_new_text_state(claim))
            for claim in version_preview.ending_claims
        ],
    )
