"""A document's text in parts, with the ranges of the words that name nodes and state claims."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query
from pydantic import Field

from app.api.protocol.route import ApiRoute
from app.api.sessions import ReadableSpace
from app.documents import service as documents
from app.documents.shapes import TextWindow
from app.graph import chunk_contents
from app.graph import service as graph
from app.graph.shapes import MentionedNode, StatedEdge
from app.http.input_text import Id
from app.ids import DocumentId
from app.limits import TEXT_PART, TEXT_PART_RANGES
from app.views.view import View

router = APIRouter(prefix="/v1/spaces/{space_id}", tags=["documents"], route_class=ApiRoute)

# The database counts characters from 1, in 32-bit integers.
_LAST_START = 2**31 - 2


class MentionRangeAnswer(View):
    """The words of a chunk that first name a node."""

    node_id: UUID
    name: str
    node_type: str
    chunk_id: UUID
    char_start: int
    char_end: int


class EvidenceRangeAnswer(View):
    """The words that state a claim that holds; the whole chunk if there is no quote."""

    edge_id: UUID
    from_name: str
    relation_type: str
    to_name: str
    confidence: float
    chunk_id: UUID
    char_start: int
    char_end: int


class DocumentTextAnswer(View):
    """A part of a document's text. All ranges count characters of the whole text, from 0.

    A range is listed with the part in which it begins.
    """

    text: str
    char_start: int
    char_end: int
    length: int = Field(description="Characters of the whole text.")
    next_start: int | None = Field(description="Pass it as start= for the next part; null at the end.")
    mentions: list[MentionRangeAnswer]
    evidence: list[EvidenceRangeAnswer]
    truncated: list[str] = Field(description="Limits that cut something off, in sentences.")


@router.get("/documents/{document_id}/text")
def read_text(
    space: ReadableSpace,
    document_id: Id,
    start: Annotated[int, Query(ge=0, le=_LAST_START, description="First character of the part.")] = 0,
    length: Annotated[
        int, Query(ge=1, le=TEXT_PART.maximum, description="Characters of the part at most.")
    ] = 20_000,
) -> DocumentTextAnswer:
    """Return a part of the document's text, with the words that name nodes and state claims. 404, 409
    document_not_read.
    """
    text_window = documents.read_text_window(space, DocumentId(document_id), start=start, length=length)
    chunk_ids = [chunk.id for chunk in text_window.chunks]
    mentions = chunk_contents.list_nodes_mentioned_in_chunks(space, chunk_ids, limit=TEXT_PART_RANGES.maximum)
    stated_edges = graph.list_edges_stated_in_chunks(space, chunk_ids, limit=TEXT_PART_RANGES.maximum)
    return _build_answer(text_window, mentions, stated_edges)


def _build_answer(
    text_window: TextWindow, mentions: list[MentionedNode], stated_edges: list[StatedEdge]
) -> DocumentTextAnswer:
    chunk_by_id = {chunk.id: chunk for chunk in text_window.chunks}

    def begins_inside(text_range: MentionRangeAnswer | EvidenceRangeAnswer) -> bool:
        return text_window.char_start <= text_range.char_start < text_window.char_end

    mention_ranges = [
        MentionRangeAnswer.from_value(
            mention,
            char_start=chunk_by_id[mention.chunk_id].char_start + mention.start,
            char_end=chunk_by_id[mention.chunk_id].char_start + mention.end,
        )
        for mention in mentions
    ]
    evidence_ranges = []
    for stated_edge in stated_edges:
        chunk = chunk_by_id[stated_edge.chunk_id]
        has_quote = stated_edge.start is not None and stated_edge.end is not None
        evidence_ranges.append(
            EvidenceRangeAnswer.from_value(
                stated_edge,
                edge_id=stated_edge.id,
                char_start=chunk.char_start + (stated_edge.start or 0) if has_quote else chunk.char_start,
                char_end=chunk.char_start + (stated_edge.end or 0) if has_quote else chunk.char_end,
            )
        )
    return DocumentTextAnswer(
        text=text_window.text,
        char_start=text_window.char_start,
        char_end=text_window.char_end,
        length=text_window.length,
        next_start=text_window.char_end if text_window.char_end < text_window.length else None,
        mentions=sorted(filter(begins_inside, mention_ranges), key=lambda text_range: text_range.char_start),
        evidence=sorted(filter(begins_inside, evidence_ranges), key=lambda text_range: text_range.char_start),
        truncated=[
            f"More than {TEXT_PART_RANGES.maximum:,} {noun} are in this part; request a shorter one."
            for noun, listed_items in (("mentions", mentions), ("claims", stated_edges))
            if len(listed_items) == TEXT_PART_RANGES.maximum
        ],
    )
