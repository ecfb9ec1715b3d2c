"""Import of an exported space: a JSON Lines file into an empty space, completely or not at all."""

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response
from pydantic import Field

from app.api import quota_headers
from app.api.key_scopes import Writer
from app.api.protocol import body_limits
from app.api.protocol.idempotency_header import store_answer_in_session
from app.api.protocol.route import ApiRoute
from app.api.protocol.tenant_slots import BulkheadsDep, UploadSlot
from app.api.sessions import WritableSpaceOpener
from app.db.session import SpaceSession
from app.errors import InvalidInput, UnsupportedFormat
from app.http.submissions import receive_form
from app.jobs import queue
from app.transfer.space_import import service as imports
from app.views.jobs import JobAnswer
from app.views.view import View

router = APIRouter(prefix="/v1/spaces/{space_id}", tags=["graph"], route_class=ApiRoute)

_FORM_SCHEMA = {
    "type": "object",
    "properties": {"file": {"type": "string", "format": "binary"}},
    "required": ["file"],
}


class ImportAnswer(View):
    """The imported rows by kind, and the job that embeds them; until it is done, only word search finds
    them.
    """

    rows: dict[str, int] = Field(description="documents, chunks and so on, by the kinds of the lines.")
    job: JobAnswer


@router.post(
    "/import",
    status_code=202,
    response_model=ImportAnswer,
    openapi_extra={
        "requestBody": {"required": True, "content": {"multipart/form-data": {"schema": _FORM_SCHEMA}}}
    },
)
async def import_space(
    request: Request,
    bulkheads: BulkheadsDep,
    caller: Writer,
    _slot: UploadSlot,
    space_opener: WritableSpaceOpener,
) -> Response:
    """Import the `jsonl` of an export, as the `file` of a form, into this space, which must be empty.

    Either all of it is imported or nothing; ids are kept. 404, 409 space_not_empty, 413, 415, 422 with the
    line (import_bad_line, import_quote_mismatch, import_unknown_id, import_incomplete, …), 429
    quota_exceeded.
    """
    async with bulkheads.queries.occupy_slot(space_opener.tenant_id):
        # Check first, so that nobody uploads a file for a space that does not exist.
        await bulkheads.queries.run_in_slot(
            lambda: space_opener.run_in_transaction(lambda space: space.space_id)
        )
    if body_limits.parse_media_type(request.headers) != "multipart/form-data":
        raise UnsupportedFormat("Send the file in a form: multipart/form-data.")
    _, files = await receive_form(request)
    if len(files) != 1:
        raise InvalidInput("The form holds one file.", code="no_file")
    lines = files[0].raw.split(b"\n")

    def import_lines(space: SpaceSession) -> Response:
        receipt = imports.import_space(space, lines, actor=caller.actor)
        quota_headers.add_usage_warnings(request, space, "documents", "bytes", "chunks", "nodes")
        answer = ImportAnswer(
            rows=dict(receipt.rows), job=JobAnswer.model_validate(queue.get_job(space, receipt.job_id))
        )
        response = JSONResponse(answer.model_dump(mode="json"), 202)
        store_answer_in_session(space, request, response)
        return response

    return await bulkheads.uploads.run_in_slot(lambda: space_opener.run_in_transaction(import_lines))
