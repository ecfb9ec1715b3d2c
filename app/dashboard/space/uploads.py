"""Submitting documents: several files at once, or pasted text; each document is validated by itself."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Annotated, Any, NamedTuple
from uuid import UUID

import orjson
from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response
from pydantic import ValidationError

from app.dashboard.csrf import check_token
from app.dashboard.deps import CitegraphDep, PageSpaceDep, Renderer, SpaceOpener, WritableSpaceOpener
from app.dashboard.routing import UploadRoute
from app.dashboard.space.jobs import build_queue_line_context
from app.db.session import SpaceSession
from app.documents import service as documents
from app.documents.format_registry import FORMATS, list_file_extensions, list_format_labels
from app.documents.shapes import RefusedFile, Submission, SubmissionOutcome
from app.documents.unpacking import iter_submission_and_files_inside
from app.errors import CitegraphError, InvalidInput
from app.http.authentication import DASHBOARD_PATH
from app.http.bulkheads import get_bulkheads
from app.http.security_headers import SECURITY_HEADERS
from app.http.submissions import (
    Description,
    ReceivedFile,
    build_submission_of_bytes,
    build_submission_of_file,
    build_title_from_first_line,
    receive_form,
)
from app.ingest import service as ingest
from app.jobs import queue
from app.limits import FORM_FIELD_BYTES, FORM_FILES
from app.settings import Settings
from app.wiring import Citegraph

router = APIRouter(
    prefix=DASHBOARD_PATH + "/spaces/{space_id}/documents", route_class=UploadRoute, include_in_schema=False
)

FORMATS_OF_PASTED_TEXT = ("text", "markdown", "html")
"""The possible formats of pasted text."""
ACCEPTED_EXTENSIONS = ",".join(list_file_extensions())
"""File name extensions that the file field offers first."""


@dataclass(frozen=True)
class UploadForm:
    """A received form: its fields, and its files without empty file fields."""

    fields: Mapping[str, str]
    files: Sequence[ReceivedFile]


@dataclass(frozen=True)
class DocumentOutcome:
    """The result for one document of a form: its name, and either the outcome with its page or the error."""

    name: str
    outcome: str
    title: str = ""
    path: str = ""
    code: str = ""
    detail: str = ""


async def receive_upload(
    request: Request, citegraph: CitegraphDep, page_space: PageSpaceDep, _space_reader: WritableSpaceOpener
) -> AsyncIterator[UploadForm]:
    """Yield the form of a visitor who may write, read in an upload slot. Raises ForgedRequest."""
    async with get_bulkheads(request).uploads.occupy_slot(page_space.tenant_id):
        max_field_bytes = max(citegraph.settings.max_upload_bytes, FORM_FIELD_BYTES.maximum)
        fields, files = await receive_form(request, max_field_bytes=max_field_bytes)
        check_token(request, request.headers.get("x-csrf-token") or fields.get("csrf", ""))
        yield UploadForm(fields, [file for file in files if file.name or file.raw])


ReceivedForm = Annotated[UploadForm, Depends(receive_upload)]


class DocumentError(NamedTuple):
    """Why a document was refused: the code of the error, and its message."""

    code: str
    message: str


def describe_document_error(error: CitegraphError | ValidationError) -> DocumentError:
    """Return the error of one document; of a form with several, the first."""
    if isinstance(error, CitegraphError):
        return DocumentError(error.code, error.message)
    first_error = error.errors(include_url=False, include_context=False, include_input=False)[0]
    return DocumentError(str(first_error["type"]), str(first_error["msg"]))


def _build_refusal(name: str, document_error: DocumentError) -> DocumentOutcome:
    return DocumentOutcome(name, "refused", code=document_error.code, detail=document_error.message)


def build_text_submission(fields: Mapping[str, str], settings: Settings) -> Submission:
    """Return the pasted text of a form.

    Raises the errors of `build_submission_of_bytes`, and ValidationError for an invalid title.
    """
    chosen_format = fields.get("format", "")
    format = chosen_format if chosen_format in FORMATS_OF_PASTED_TEXT else "text"
    # Forms send CR LF for each line end, which would shift character ranges.
    text_bytes = fields.get("text", "").replace("\r\n", "\n").encode()
    title = fields.get("title", "").strip()
    description = Description.model_validate(
        {"format": format, "title": title or None, "trust": _parse_trust(fields)}
    )
    display_title = description.title or (build_title_from_first_line(text_bytes) if format == "text" else "")
    return build_submission_of_bytes(
        description,
        text_bytes,
        display_title,
        None,
        None,
        FORMATS[format].media_type,
        settings.max_upload_bytes,
    )


def _parse_trust(fields: Mapping[str, str]) -> float | None:
    """Return the trust that a form sets; None if the field is empty. Raises InvalidInput for no number."""
    trust_text = fields.get("trust", "").strip()
    try:
        return float(trust_text) if trust_text else None
    except ValueError:
        raise InvalidInput("Trust is a number from 0.01 to 1.", code="bad_trust") from None


_NamedSubmission = tuple[str, Submission | DocumentOutcome]
"""The name of a document, and its submission or why it is refused."""
_AcceptedSubmission = tuple[str, Submission]


def _read_submissions(received_form: UploadForm, citegraph: Citegraph) -> list[_NamedSubmission]:
    """Return (name, submission or error) for each document of the form, in order."""
    named_documents: list[_NamedSubmission] = []
    addresses: set[str] = set()
    settings = citegraph.settings
    for file in received_form.files:
        try:
            description = Description.model_validate({"trust": _parse_trust(received_form.fields)})
            submission = build_submission_of_file(description, file, settings.max_upload_bytes)
            if submission.source_uri in addresses:
                raise InvalidInput("Another file of this name was sent with it.", code="duplicate_name")
            unpacked_files = list(
                iter_submission_and_files_inside(
                    submission, lambda: citegraph.sandbox, max_bytes=settings.max_upload_bytes
                )
            )
        except (CitegraphError, ValidationError) as error:
            document_error = describe_document_error(error)
            named_documents.append((file.name, _build_refusal(file.name, document_error)))
            continue
        addresses.add(submission.source_uri or "")
        for unpacked_file in unpacked_files:
            if isinstance(unpacked_file, RefusedFile):
                full_name = f"{file.name}/{unpacked_file.name}"
                named_documents.append(
                    (
                        full_name,
                        DocumentOutcome(
                            full_name, "refused", code=unpacked_file.code, detail=unpacked_file.reason
                        ),
                    )
                )
            else:
                named_documents.append((unpacked_file.source_uri or file.name, unpacked_file))
    if received_form.fields.get("text", "").strip():
        name = received_form.fields.get("title", "").strip() or "Pasted text"
        try:
            named_documents.append((name, build_text_submission(received_form.fields, settings)))
        except (CitegraphError, ValidationError) as error:
            document_error = describe_document_error(error)
            named_documents.append((name, _build_refusal(name, document_error)))
    if not named_documents:
        raise InvalidInput("Choose a file, or paste a text.", code="no_file")
    return named_documents


@router.get("/new")
def show_upload_page(
    page: Renderer, page_space: PageSpaceDep, citegraph: CitegraphDep, space_opener: WritableSpaceOpener
) -> Response:
    """Show the forms for files and for text, and whether earlier documents wait for a worker."""
    return _show_upload_page(
        page,
        page_space,
        citegraph,
        {},
        **build_queue_line_context(space_opener.run_in_transaction(queue.read_queue_state)),
    )


def _show_upload_page(
    page: Renderer,
    page_space: PageSpaceDep,
    citegraph: Citegraph,
    fields: Mapping[str, str],
    *,
    status: int = 200,
    **overrides: Any,
) -> Response:
    values = {"rows": [], "job": None, "refused": None, "has_stalled": False, **overrides}
    return page.show(
        "space/upload.html",
        status=status,
        **build_upload_values(citegraph.settings, page_space, fields),
        **values,
    )


def build_upload_values(
    settings: Settings, page_space: PageSpaceDep, fields: Mapping[str, str]
) -> dict[str, Any]:
    """Return the template values of the forms for files and text."""
    return {
        "page_space": page_space,
        "active": "documents",
        "accepted": ACCEPTED_EXTENSIONS,
        "list_format_labels": list_format_labels(),
        "max_bytes": settings.max_upload_bytes,
        "max_files": FORM_FILES.maximum,
        "text_formats": FORMATS_OF_PASTED_TEXT,
        "fields": {name: fields.get(name, "") for name in ("title", "format", "text", "trust")},
    }


@router.post("")
async def submit_uploads(
    request: Request,
    page: Renderer,
    citegraph: CitegraphDep,
    page_space: PageSpaceDep,
    space_opener: WritableSpaceOpener,
    form: ReceivedForm,
) -> Response:
    """Submit the valid documents in one job, and show the outcome of each document."""
    bulkheads = get_bulkheads(request)
    is_script = "application/json" in request.headers.get("accept", "")
    try:
        named_documents = await bulkheads.uploads.run_in_slot(lambda: _read_submissions(form, citegraph))
        submissions = [
            (name, submission) for name, submission in named_documents if isinstance(submission, Submission)
        ]
        accepted_outcomes: list[DocumentOutcome] = []
        job_id = None
        if submissions:
            async with bulkheads.queries.occupy_slot(page_space.tenant_id):
                accepted_outcomes, job_id = await bulkheads.queries.run_in_slot(
                    lambda: _submit_named_documents(citegraph, page_space, space_opener, submissions)
                )
    except CitegraphError as error:
        if is_script:
            raise
        return _show_upload_page(
            page, page_space, citegraph, form.fields, status=error.status, refused=error.message
        )
    stored_outcomes = iter(accepted_outcomes)
    document_outcomes = [
        document if isinstance(document, DocumentOutcome) else next(stored_outcomes)
        for _, document in named_documents
    ]
    job_path = f"{page_space.path}/jobs/{job_id}" if job_id else None
    if is_script:
        body = {"rows": [asdict(document_outcome) for document_outcome in document_outcomes], "job": job_path}
        return Response(orjson.dumps(body), media_type="application/json", headers=SECURITY_HEADERS)
    # A refused text is shown in its field again.
    fields = (
        form.fields
        if any(document_outcome.outcome == "refused" for document_outcome in document_outcomes)
        else {}
    )
    return _show_upload_page(
        page,
        page_space,
        citegraph,
        fields,
        status=200 if submissions else 422,
        rows=document_outcomes,
        job=job_path,
    )


class SubmissionOutcomes(NamedTuple):
    """The outcome of each document, and the job that reads them; None if none is to be read."""

    outcomes: list[DocumentOutcome]
    job_id: UUID | None


def _submit_named_documents(
    citegraph: Citegraph,
    page_space: PageSpaceDep,
    space_opener: SpaceOpener,
    submissions: Sequence[_AcceptedSubmission],
) -> SubmissionOutcomes:
    ingest.check_room_for_ingest_job(citegraph.database, page_space.tenant_id)

    def submit_and_describe(space: SpaceSession) -> SubmissionOutcomes:
        results, job = documents.submit_documents(space, [submission for _, submission in submissions])
        document_outcomes = [
            DocumentOutcome(
                name,
                _describe_outcome(result),
                title=result.document.title or name,
                path=f"{page_space.path}/documents/{result.document.id}",
            )
            for (name, _), result in zip(submissions, results, strict=True)
        ]
        return SubmissionOutcomes(document_outcomes, None if job is None else job.id)

    return space_opener.run_in_transaction(submit_and_describe)


def _describe_outcome(submitted_document: documents.SubmittedDocument) -> str:
    if submitted_document.outcome is SubmissionOutcome.REPLACED:
        return f"version {submitted_document.document.version}"
    return submitted_document.outcome.value
