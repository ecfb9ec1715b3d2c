"""Submitting a new version of a document, after a preview of its changes to the current one."""

from dataclasses import replace
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response
from pydantic import ValidationError

from app.dashboard.deps import CitegraphDep, PageSpaceDep, Renderer, WritableSpaceOpener
from app.dashboard.routing import UploadRoute
from app.dashboard.space.uploads import (
    ACCEPTED_EXTENSIONS,
    ReceivedForm,
    build_text_submission,
    describe_document_error,
)
from app.db.models import Document
from app.documents import service as documents
from app.documents.format_registry import FORMATS
from app.documents.shapes import SourceKind, Submission
from app.errors import CitegraphError, InvalidInput
from app.http.authentication import DASHBOARD_PATH
from app.http.bulkheads import get_bulkheads
from app.http.client_disconnect import run_unless_hung_up
from app.http.submissions import Description, build_submission_of_file
from app.ids import DocumentId
from app.ingest import service as ingest
from app.ingest.version_preview import VersionPreview, preview_version
from app.llm.servers import get_chat_model
from app.settings import Settings

router = APIRouter(
    prefix=DASHBOARD_PATH + "/spaces/{space_id}/documents/{document_id}/version",
    route_class=UploadRoute,
    include_in_schema=False,
)

_TEXT_FORMATS = frozenset(("text", "markdown", "html"))
_STALE_PREVIEW_TEXT = (
    "The document or the new text has changed since you looked: this is what it would change now."
)


def _find_document(space_opener: WritableSpaceOpener, document_id: UUID) -> Document:
    """Return the document for a visitor who may write. Raises NotFound, before the form is read."""
    return space_opener.run_in_transaction(
        lambda space: documents.get_document(space, DocumentId(document_id))
    )


FoundDocument = Annotated[Document, Depends(_find_document)]


@router.get("")
def show_version_page(
    page: Renderer, page_space: PageSpaceDep, citegraph: CitegraphDep, document: FoundDocument
) -> Response:
    """Show the form for the new version."""
    return _show_version_page(page, page_space, citegraph.settings, document, {})


def _show_version_page(
    page: Renderer,
    page_space: PageSpaceDep,
    settings: Settings,
    document: Document,
    fields: Any,
    **overrides: Any,
) -> Response:
    """Show the page, or only its preview; `overrides` are a status, a preview and a problem."""
    return page.show(
        "space/version_preview.html" if page.is_fragment else "space/version.html",
        **{"preview": None, "problem": None, **overrides},
        page_space=page_space,
        active="documents",
        document=document,
        text=fields.get("text", ""),
        pastes=document.format in _TEXT_FORMATS,
        accepted=ACCEPTED_EXTENSIONS,
        max_bytes=settings.max_upload_bytes,
        is_model=get_chat_model(settings) is not None,
    )


@router.post("")
async def submit_new_version(
    request: Request,
    page: Renderer,
    citegraph: CitegraphDep,
    page_space: PageSpaceDep,
    space_opener: WritableSpaceOpener,
    document: FoundDocument,
    form: ReceivedForm,
) -> Response:
    """Preview the changes of the new version, or submit it if it is the previewed one."""
    bulkheads = get_bulkheads(request)
    document_id = DocumentId(document.id)
    try:
        submission = await bulkheads.uploads.run_in_slot(
            lambda: _build_submission(form, document, citegraph.settings)
        )

        def preview_changes() -> VersionPreview:
            return preview_version(
                citegraph.database,
                page_space.tenant_id,
                page_space.id,
                document_id,
                submission,
                citegraph.settings,
                citegraph.sandbox,
            )

        async with bulkheads.estimates.occupy_slot(page_space.tenant_id):
            preview = await run_unless_hung_up(request, bulkheads.estimates, preview_changes)
        if form.fields.get("step") == "replace" and not preview.is_current:
            if (str(preview.version), preview.content_hash) == (
                form.fields.get("version"),
                form.fields.get("content_hash"),
            ):

                def submit_document() -> None:
                    ingest.check_room_for_ingest_job(citegraph.database, page_space.tenant_id)
                    space_opener.run_in_transaction(
                        lambda space: documents.submit_documents(space, [submission])
                    )

                async with bulkheads.queries.occupy_slot(page_space.tenant_id):
                    await bulkheads.queries.run_in_slot(submit_document)
                return page.redirect(f"{page_space.path}/documents/{document.id}")
            return _show_version_page(
                page,
                page_space,
                citegraph.settings,
                document,
                form.fields,
                preview=preview,
                problem=_STALE_PREVIEW_TEXT,
            )
    except (CitegraphError, ValidationError) as error:
        status = error.status if isinstance(error, CitegraphError) else 422
        return _show_version_page(
            page,
            page_space,
            citegraph.settings,
            document,
            form.fields,
            status=status,
            problem=describe_document_error(error).message,
        )
    return _show_version_page(page, page_space, citegraph.settings, document, form.fields, preview=preview)


def _build_submission(form: ReceivedForm, document: Document, settings: Settings) -> Submission:
    """Return the form's file or text as the document's next version, with its address and description."""
    if form.files:
        submission = build_submission_of_file(Description(), form.files[0], settings.max_upload_bytes)
        if FORMATS[submission.format].is_container:
            raise InvalidInput("An archive is no version of one document.", code="one_document_only")
    elif form.fields.get("text", "").strip():
        submission = build_text_submission(
            {"text": form.fields["text"], "format": document.format, "title": ""}, settings
        )
    else:
        raise InvalidInput("Choose a file, or paste a text.", code="no_file")
    keeps_title = document.source_uri is None or submission.format == "text"
    return replace(
        submission,
        title=document.title if keeps_title else "",
        source_uri=document.source_uri,
        source_kind=SourceKind(document.source_kind),
        metadata=dict(document.meta),
        trust=document.trust,
        replaces=DocumentId(document.id),
    )
