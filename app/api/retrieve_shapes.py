"""Request body of retrieval."""

from pydantic import Field

from app.api.shapes import Body
from app.http.input_text import Moment, SearchText
from app.limits import PASSAGES
from app.retrieval.shapes import Query, Scoring, Strategy


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
