"""Retrieval: the passages and facts of a space that answer a question, without an answer in sentences."""

from fastapi import APIRouter, Request

from app.api.key_scopes import CitegraphDep
from app.api.protocol.route import ApiRoute
from app.api.protocol.tenant_slots import BulkheadsDep, QuestionSlot
from app.api.quota_headers import TellsTokens
from app.api.retrieve_shapes import RetrieveBody
from app.api.sessions import ReadableSpaceOpener
from app.http.client_disconnect import run_unless_hung_up
from app.views.retrieval import RetrievedAnswer, build_retrieved_answer

router = APIRouter(prefix="/v1/spaces/{space_id}", tags=["answers"], route_class=ApiRoute)


@router.post("/retrieve")
async def retrieve(
    request: Request,
    citegraph: CitegraphDep,
    bulkheads: BulkheadsDep,
    _slot: QuestionSlot,
    space_opener: ReadableSpaceOpener,
    _tokens: TellsTokens,
    body: RetrieveBody,
) -> RetrievedAnswer:
    """Return the passages that answer, best first, each with its score's parts, and the facts around the
    anchors.
    """

    def work() -> RetrievedAnswer:
        return build_retrieved_answer(
            citegraph.retriever.retrieve_and_record_recalls(
                space_opener.tenant_id, space_opener.space_id, body.to_query()
            )
        )

    # The question may have to be embedded by a slow server.
    return await run_unless_hung_up(request, bulkheads.questions, work)
