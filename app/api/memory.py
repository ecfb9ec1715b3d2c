"""Eviction: a dry run of a space's policy, and running it (requirement 12.2)."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query
from pydantic import Field

from app.api.paging import RequestedPage
from app.api.protocol.route import ApiRoute
from app.api.sessions import ReadableSpace, WritableSpace
from app.api.shapes import Body, Listing
from app.derived.eviction import policies, scheduling
from app.derived.eviction.shapes import EvictionReason
from app.space_settings import Eviction
from app.views.jobs import JobAnswer
from app.views.view import View

router = APIRouter(prefix="/v1/spaces/{space_id}/eviction", tags=["memory"], route_class=ApiRoute)


class EvictableChunkAnswer(View):
    """A chunk that the policy evicts, and its value by the callers' recalls."""

    place: int = Field(description="Position in the order of eviction, from 1.")
    chunk_id: UUID
    document_id: UUID
    document_title: str
    ordinal: int = Field(description="Position in its document, from 0.")
    value: float = Field(
        description="ln(1 + recalls), average score and recency by recall_weights: 0.3, 0.5 and 0.2."
    )
    recall_count: int
    last_recalled_at: datetime | None
    created_at: datetime
    reason: EvictionReason


class EvictionPlanAnswer(Listing[EvictableChunkAnswer]):
    """A page of the chunks to evict, the first to go first; the totals are those of the whole space, unless
    `truncated` says otherwise.
    """

    eviction: Eviction = Field(description="The space's policy.")
    including_last_evidence: bool
    chunks: int = Field(description="Chunks of the space; 0 if it has no policy.")
    evictable: int = Field(description="Chunks that would be evicted.")
    protected: int = Field(
        description="Chunks that would be evicted if they were not the last evidence of an edge."
    )
    truncated: list[str] = Field(description="Limits that cut something off, in sentences.")


class EvictionBody(Body):
    """Options of one eviction that differ from the space's settings."""

    including_last_evidence: bool | None = Field(
        None,
        description="Whether the last evidence of an edge may go; null: as in eviction_last_evidence.",
    )


@router.get("")
def plan_eviction(
    space: ReadableSpace,
    page: RequestedPage,
    including_last_evidence: Annotated[
        bool | None, Query(description="Whether the last evidence of an edge may be evicted.")
    ] = None,
) -> EvictionPlanAnswer:
    """List what would be evicted now, and why. Nothing is changed."""
    scope = ("eviction", space.space_id, including_last_evidence)
    position = page.decode_position(scope)
    plan = policies.list_evictable_chunks(
        space,
        including_last_evidence=including_last_evidence,
        after=0 if position is None else int(position[0]),
        limit=page.fetch_limit,
    )
    chunk_page = page.build_page_with_next_cursor(
        plan.listed, EvictableChunkAnswer.model_validate, lambda row: [row.place], scope
    )
    return EvictionPlanAnswer(
        items=chunk_page.items,
        next_cursor=chunk_page.next_cursor,
        eviction=plan.policy.eviction,
        including_last_evidence=plan.policy.including_last_evidence,
        chunks=plan.chunks,
        evictable=plan.evictable,
        protected=plan.protected,
        truncated=[policies.TRUNCATION_NOTE] if plan.more else [],
    )


@router.post("", status_code=202)
def evict(space: WritableSpace, body: EvictionBody) -> JobAnswer:
    """Start the job that evicts what a dry run shows; return it. 409 no_eviction_policy."""
    job = scheduling.enqueue_eviction_or_run_waiting_now(
        space, including_last_evidence=body.including_last_evidence
    )
    return JobAnswer.model_validate(job)
