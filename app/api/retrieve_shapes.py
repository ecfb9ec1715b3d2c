"""Shapes of retrieval over HTTP: the query, passages and facts with the parts of their scores."""

from datetime import datetime
from uuid import UUID

from pydantic import Field

from app.api.graph.shapes import (
    AnchorAnswer,
    CitationAnswer,
    ConflictAnswer,
    EdgeAnswer,
    NodeAnswer,
    NodeAttributeAnswer,
    PathAnswer,
)
from app.api.shapes import Answer, Body
from app.http.input_text import Moment, SearchText
from app.limits import PASSAGES
from app.retrieval.shapes import Query, RetrievalResult, Scoring, Strategy


class RetrieveBody(Body):
    """A query and its options."""

    query: SearchText = Field(description="A question or some words.")
    strategy: Strategy = Field(Strategy.HYBRID, strict=False, description="The channels to use.")
    scoring: Scoring = Field(
        Scoring.WALK, strict=False, description="The score by which passages are ordered."
    )
    top_k: int = Field(10, ge=1, le=PASSAGES.maximum, description="Maximum number of passages.")
    min_score: float = Field(0.0, ge=0, le=1, description="Passages below this are left out.")
    as_of: Moment | None = Field(None, description="Only claims that held at that time.")

    def to_query(self) -> Query:
        """Return the query as a value of the retrieval room."""
        return Query(self.query, self.strategy, self.scoring, self.top_k, self.min_score, self.as_of)


class PassageAnswer(Answer):
    """A chunk that answers; `facts` are the edges of this answer that it states, `why` explains how it was
    found.
    """

    chunk_id: UUID
    document_id: UUID
    document_title: str
    heading_path: list[str]
    text: str
    char_start: int
    char_end: int
    place: str | None = Field(
        None, description="Its location in the file, if the format has locations: page 7."
    )
    source_kind: str
    trust: float = Field(description="The trust in its document, from 0.01 to 1.")
    created_at: datetime
    score: float
    breakdown: dict[str, float] = Field(description="Each part of the score by name.")
    facts: list[UUID]
    why: list[str]


class ScoredFactAnswer(Answer):
    """An edge with its current score, and its distance from the anchors in hops."""

    edge: EdgeAnswer
    score: float
    hop: int
    breakdown: dict[str, float] = Field(description="Each factor of the score by name.")


class RetrievedAnswer(Answer):
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
