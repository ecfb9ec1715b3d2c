"""Documents: submitting, reading and deleting them; and the chunks that answers cite."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

from fastapi import APIRouter, HTTPException, Query, Request, Response
from fastapi.responses import JSONResponse
from pydantic import Field

from app.api import quota_headers
from app.api.jobs import RoomInQueue
from app.api.key_scopes import CitegraphDep, Writer
from app.api.paging import RequestedPage
from app.api.protocol.idempotency_header import store_answer_in_session
from app.api.protocol.route import ApiRoute
from app.api.protocol.tenant_slots import BulkheadsDep
from app.api.sessions import ReadableSpace, SpaceOpener, WritableSpace, WritableSpaceOpener
from app.api.shapes import Body, Listing
from app.api.submission_bodies import REQUEST_BODY, SubmissionBatch, Submissions
from app.db.models import Job, KnowledgeChunk
from app.db.session import SpaceSession
from app.documents import service as documents
from app.documents.shapes import DocumentFilter, MailLocation
from app.http.bulkheads import Bulkheads
from app.http.client_disconnect import run_unless_hung_up
from app.http.input_text import Address, Id
from app.http.submissions import Trust
from app.ids import ChunkId, DocumentId
from app.ingest import service as ingest
from app.ingest.estimate import estimate_ingest
from app.limits import ESTIMATE_SECONDS
from app.tenancy.tenants.api_keys import Caller
from app.views.documents import (
    ChunkAnswer,
    DocumentAnswer,
    DocumentDetailAnswer,
    EstimateAnswer,
    RemovalAnswer,
    RetryAnswer,
    SubmissionAnswer,
    SubmittedAnswer,
)
from app.views.jobs import JobAnswer
from app.wiring import Citegraph

router = APIRouter(prefix="/v1/spaces/{space_id}", tags=["documents"], route_class=ApiRoute)


@router.post(
    "/documents",
    status_code=202,
    response_model=SubmissionAnswer,
    responses={
        200: {
            "model": SubmissionAnswer | EstimateAnswer,
            "description": "All documents were already known; or, with dry_run, the estimate.",
        }
    },
    openapi_extra={"requestBody": REQUEST_BODY},
)
async def submit_documents(
    request: Request,
    bulkheads: BulkheadsDep,
    batch: Submissions,
    caller: Writer,
    space_opener: WritableSpaceOpener,
    citegraph: CitegraphDep,
    dry_run: Annotated[bool, Query(description="Only estimate what it would take.")] = False,
) -> Response:
    """Submit one or more documents, as JSON or as files; 202 with the job that ingests them.

    Of several documents, those that cannot be read are listed in `refused` and the others are accepted; 422
    no_document_accepted if none can be read. Content that the space already has is unchanged and costs
    nothing: 200 if that is true of all documents. With `dry_run` nothing is stored and no model is called:
    200 with chunks, calls, tokens and cost. 413, 415, 422, 429 quota_exceeded with `quota`, `used` and
    `limit`, and too_many_jobs with the same.
    """
    if dry_run:
        return JSONResponse(
            (
                await _estimate_documents(request, bulkheads, batch, caller, space_opener, citegraph)
            ).model_dump()
        )

    def submit(space: SpaceSession) -> Response:
        answer = _build_submission_answer(batch, *documents.submit_documents(space, batch.submissions))
        quota_headers.add_usage_warnings(request, space, "documents", "bytes", "chunks", "nodes")
        if citegraph.embedding_client is not None:
            quota_headers.add_token_warnings(request, space)
        response = JSONResponse(answer.model_dump(mode="json"), 200 if answer.job is None else 202)
        store_answer_in_session(space, request, response)
        return response

    def submit_if_room() -> Response:
        ingest.check_room_for_ingest_job(citegraph.database, space_opener.tenant_id)
        return space_opener.run_in_transaction(submit)

    async with bulkheads.queries.occupy_slot(space_opener.tenant_id):
        return await bulkheads.queries.run_in_slot(submit_if_room)


@router.post("/documents/estimate", openapi_extra={"requestBody": REQUEST_BODY})
async def estimate_documents(
    request: Request,
    bulkheads: BulkheadsDep,
    batch: Submissions,
    caller: Writer,
    space_opener: WritableSpaceOpener,
    citegraph: CitegraphDep,
) -> EstimateAnswer:
    """Estimate chunks, calls, tokens and cost of these documents; nothing is stored and no model is called.

    The same as `dry_run` of a submission. 413, 415, 422, 429 too_many_estimates.
    """
    return await _estimate_documents(request, bulkheads, batch, caller, space_opener, citegraph)


async def _estimate_documents(
    request: Request,
    bulkheads: Bulkheads,
    batch: SubmissionBatch,
    caller: Caller,
    space_opener: SpaceOpener,
    citegraph: Citegraph,
) -> EstimateAnswer:
    async with bulkheads.estimates.occupy_slot(space_opener.tenant_id):
        estimate = await run_unless_hung_up(
            request,
            bulkheads.estimates,
            lambda: estimate_ingest(
                citegraph.database,
                (space_opener.tenant_id, space_opener.space_id),
                batch.submissions,
                citegraph.settings,
                citegraph.sandbox,
                readable_space_ids=caller.space_ids,
                max_parse_seconds=ESTIMATE_SECONDS.maximum,
            ),
        )
    return EstimateAnswer.from_value(estimate, refused=batch.refused)


@router.post("/documents/retry", status_code=202)
def retry_failed(_room: RoomInQueue, space: WritableSpace) -> RetryAnswer:
    """Queue again, in one job, the oldest 1,000 documents that failed or have quarantined chunks. 409
    document_not_failed, 429 too_many_jobs.
    """
    job, document_count = documents.retry_failed_documents_in_new_job(space)
    return RetryAnswer(documents=document_count, job=JobAnswer.model_validate(job))


@router.post("/documents/{document_id}/retry", status_code=202)
def retry_document(_room: RoomInQueue, space: WritableSpace, document_id: Id) -> JobAnswer:
    """Queue again a document that failed, or its quarantined chunks; return its job. 404, 409
    document_not_failed, 429 too_many_jobs.
    """
    return JobAnswer.model_validate(documents.retry_document_in_new_job(space, DocumentId(document_id)))


@router.api_route("/documents/estimate", methods=["GET", "PATCH", "DELETE"], include_in_schema=False)
@router.api_route("/documents/retry", methods=["GET", "PATCH", "DELETE"], include_in_schema=False)
@router.api_route("/documents/move", methods=["GET", "PATCH", "DELETE"], include_in_schema=False)
@router.api_route("/documents/preview-removals", methods=["GET", "PATCH", "DELETE"], include_in_schema=False)
def refuse_other_methods() -> None:
    """Answer 405; without this route "estimate" would be parsed as a document's id and answered 404."""
    raise HTTPException(405, headers={"Allow": "POST"})


def _build_submission_answer(
    batch: SubmissionBatch, submitted_documents: Sequence[documents.SubmittedDocument], job: Job | None
) -> SubmissionAnswer:
    return SubmissionAnswer(
        documents=[
            SubmittedAnswer.from_value(submission.document, outcome=submission.outcome)
            for submission in submitted_documents
        ],
        refused=batch.refused,
        job=None if job is None else JobAnswer.model_validate(job),
    )


@router.get("/documents")
def list_documents(
    space: ReadableSpace,
    page: RequestedPage,
    state: Annotated[Literal["queued", "processing", "ready", "failed"] | None, Query()] = None,
    source_uri_prefix: Annotated[
        Address | None, Query(description="Only those whose address has this prefix, such as `file:papers/`.")
    ] = None,
) -> Listing[DocumentAnswer]:
    """The space's documents, newest first."""
    scope = ("documents", space.space_id, state, source_uri_prefix)
    document_filter = DocumentFilter(state=state, below=source_uri_prefix)
    rows = documents.list_documents(
        space, document_filter, after=page.decode_id(scope), limit=page.fetch_limit
    )
    return page.build_page_with_next_cursor(
        rows, DocumentAnswer.model_validate, lambda row: [str(row.id)], scope
    )


@router.get("/documents/{document_id}")
def read_document(space: ReadableSpace, document_id: Id) -> DocumentDetailAnswer:
    """Return the document, with those of its chunks from which no graph could be extracted. 404."""
    document = documents.get_document(space, DocumentId(document_id))
    quarantined_chunks = documents.list_first_quarantined_chunks(space, document)
    answered_mail = documents.find_answered_mails(space, [document]).get(document.in_reply_to or "")
    return DocumentDetailAnswer.from_value(
        document,
        quarantined=quarantined_chunks,
        answered_document_id=None if answered_mail is None else answered_mail.document_id,
        answered_chunk_id=None if answered_mail is None else answered_mail.chunk_id,
    )


class DocumentChange(Body):
    """A change to a stored document."""

    trust: Trust = Field(description="The new trust; `source_trust` and `uploader_trust` limit it.")


@router.patch("/documents/{document_id}")
def change_document(space: WritableSpace, document_id: Id, change: DocumentChange) -> DocumentAnswer:
    """Change the trust in a document: claims end and hold as if it had always had that trust. 404, 409
    less_trusted for a caller with less trust than the document, document_not_read while it is being read.
    """
    return DocumentAnswer.model_validate(
        ingest.change_document_trust(space, DocumentId(document_id), change.trust)
    )


@router.delete("/documents/{document_id}")
def delete_document(
    space: WritableSpace,
    document_id: Id,
    prune: Annotated[
        bool | None,
        Query(
            description="Also remove what loses its last evidence; the default is the space's prune_deleted."
        ),
    ] = None,
    dry_run: Annotated[bool, Query(description="Only report what it would change.")] = False,
) -> RemovalAnswer:
    """Remove the document and its words: text, quotes, names, summaries, stored model answers. 404.

    Its edges remain as rows, `unsupported` if no other document states them. With `dry_run` nothing is
    changed.
    """
    remove_or_preview = ingest.preview_removal if dry_run else ingest.delete_document_with_all_its_words
    return RemovalAnswer.model_validate(remove_or_preview(space, DocumentId(document_id), prune=prune))


@router.get("/documents/{document_id}/chunks")
def list_chunks(space: ReadableSpace, document_id: Id, page: RequestedPage) -> Listing[ChunkAnswer]:
    """List the document's chunks in their order. 404."""
    scope = ("chunks", space.space_id, document_id)
    position = page.decode_position(scope)
    rows = documents.list_chunks(
        space,
        DocumentId(document_id),
        after=None if position is None else position[0],
        limit=page.fetch_limit,
    )
    answered_mails = documents.find_answered_mails(space, rows)
    return page.build_page_with_next_cursor(
        rows, lambda chunk: _build_chunk_answer(chunk, answered_mails), lambda row: [row.ordinal], scope
    )


@router.get("/chunks/{chunk_id}")
def read_chunk(space: ReadableSpace, chunk_id: Id) -> ChunkAnswer:
    """Return the chunk that a citation names. 404."""
    chunk = documents.get_chunk(space, ChunkId(chunk_id))
    return _build_chunk_answer(chunk, documents.find_answered_mails(space, [chunk]))


def _build_chunk_answer(chunk: KnowledgeChunk, answered_mails: Mapping[str, MailLocation]) -> ChunkAnswer:
    answered_mail = answered_mails.get(chunk.in_reply_to or "")
    return ChunkAnswer.from_value(
        chunk,
        answered_document_id=None if answered_mail is None else answered_mail.document_id,
        answered_chunk_id=None if answered_mail is None else answered_mail.chunk_id,
    )
