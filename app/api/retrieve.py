"""Retrieval: the passages and facts of a space that answer a question, without an answer in sentences."""

from fastapi import APIRouter

from app.api.deps import Parts, ReopenedSpace
from app.api.limits import StrictRoute
from app.api.retrieve_shapes import RetrieveBody, RetrievedAnswer, shown
from app.memory.returned import of_retrieved

router = APIRouter(prefix="/v1/spaces/{space_id}", tags=["answers"], route_class=StrictRoute)


@router.post("/retrieve")
def retrieve(parts: Parts, space: ReopenedSpace, body: RetrieveBody) -> RetrievedAnswer:
    """The passages that answer, best first, each with its score's parts, and the facts around the anchors."""
    found = parts.retriever.retrieve(space.tenant_id, space.space_id, body.asked())
    parts.recorder.note(space.tenant_id, space.space_id, of_retrieved(found))
    return shown(found)
