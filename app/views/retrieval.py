"""Passages and facts that retrieval found, with the parts of their scores."""

from datetime import datetime
from uuid import UUID

from pydantic import Field

from app.retrieval.shapes import RetrievalResult, Scoring, Strategy
from app.views.edges import EdgeAnswer
from app.views.explanations import (
    AnchorAnswer,
    CitationAnswer,
    ConflictAnswer,
    NodeAttributeAnswer,
    PathAnswer,
)
from app.views.nodes import NodeAnswer
from app.views.view import View


class PassageBrief(View):
    """A chunk that answers; `why` explains how it was found."""

    chunk_id: UUID
    document_id: UUID
    document_title: str
    place: str | None = Field(
        None, description="Its location in the file, if the format has locations: page 7."
    )
    heading_path: list[str]
    text: str
    score: float
    trust: float = Field(description="The trust in its document, from 0.01 to 1.")
    why: list[str]


class PassageAnswer(PassageBrief):
    """A chunk that answers; `facts` are the edges of this answer that it states, `why` explains how it was
    found.
    """

    char_start: int
    char_end: int
    source_kind: str
    created_at: datetime
    breakdown: dict[str, float] = Field(description="Each part of the score by name.")
    facts: list[UUID]


class ScoredFactAnswer(View):
    """An edge with its current score, and its distance from the anchors in hops."""

    edge: EdgeAnswer
    score: float
    hop: int
    breakdown: dict[str, float] = Field(description="Each factor of the score by name.")


class RetrievedAnswer(View):
    """The results of one query, best first; `narrative` states the facts, with [n] for citation n."""

    query: str
    strategy: Strategy
    scoring: Scoring
    anchors: list[AnchorAnswer]
    passages: list[PassageAnswer]
    facts: list[ScoredFactAnswer]
    nodes: list[NodeAnswer]
    paths: list[PathAnswer]
    citations: list[CitationAnswer]
    contested: list[ConflictAnswer]
    attributes: list[NodeAttributeAnswer] = Field(description="Values of the nodes, as explain has them.")
    narrative: str
    graph_revision: int = Field(
        description="The revision of the graph that was read; it increases with each change."
    )
    cached: bool = Field(
        description="Whether the result of an identical query of the last minute was reused."
    )
    truncated: list[str]
    warnings: list[str]


def build_retrieved_answer(retrieval: RetrievalResult) -> RetrievedAnswer:
    """Return the API answer for a retrieval."""
    explanation = retrieval.explanation
    return RetrievedAnswer.from_value(
        retrieval,
        query=retrieval.query.text,
        strategy=retrieval.query.strategy,
        scoring=retrieval.query.scoring,
        paths=explanation.paths if explanation else (),
        citations=explanation.citations if explanation else (),
        contested=explanation.contested if explanation else (),
        attributes=explanation.attributes if explanation else (),
        narrative=explanation.narrative if explanation else "",
    )
