"""Nodes that may be the same thing: duplicates, merges, splits and pairs kept apart."""

from datetime import datetime
from uuid import UUID

from pydantic import Field

from app.views.view import View


class PairSideAnswer(View):
    """One of two nodes that may be the same thing."""

    node_id: UUID
    name: str
    node_type: str
    mention_count: int


class DuplicateAnswer(View):
    """Two nodes that may be the same thing, about which nobody has decided."""

    a: PairSideAnswer
    b: PairSideAnswer
    similarity: float = Field(description="The similarity of their names, 0 to 1.")
    why: str = Field(description="In what way they are similar.")


class DuplicatesAnswer(View):
    """Pairs of nodes that may be the same thing, the most similar first."""

    items: list[DuplicateAnswer]


class MergeAnswer(View):
    """A row of the ledger: which node became part of which, why and by whom; `undone_at` is null while it
    holds.
    """

    id: UUID
    winner_id: UUID
    winner_name: str | None = Field(description="The winner's current name; null if it was deleted.")
    loser_id: UUID = Field(description="The node returns under this id when the merge is undone.")
    loser_name: str
    loser_type: str
    reason: str = Field(description="exact, alias, string, embedding, model or person.")
    decided_by: str
    confidence: float
    created_at: datetime
    undone_at: datetime | None
    undone_by: str | None


class MergePreviewAnswer(View):
    """The changes that a merge would make; nothing is changed."""

    winner_id: UUID
    winner_name: str
    winner_type: str
    loser_id: UUID
    loser_name: str
    loser_type: str
    name: str = Field(description="The name that the node would have.")
    node_type: str
    new_names: list[str] = Field(description="Names of the loser that the winner would gain.")
    shared_names: list[str] = Field(description="Names that both have.")
    mentions: int = Field(description="Mentions of the loser.")
    shared_chunks: int = Field(description="Chunks that mention both; they count once.")
    edges_leaving: int
    edges_entering: int
    edges_between: int = Field(description="Edges that leave the graph while the merge holds.")
    shared_claims: int = Field(description="Claims about both nodes with the same other end.")
    overrides_decision: bool = Field(
        description="Whether it would override a decision that the two are different."
    )


class NameAndTypeAnswer(View):
    """A normalised name and a node type."""

    name: str
    node_type: str


class KeptApartAnswer(View):
    """A pair that somebody decided is not the same thing."""

    a: NameAndTypeAnswer
    b: NameAndTypeAnswer
    decided_by: str
    decided_at: datetime


class KeptApartListAnswer(View):
    """Pairs that were kept apart, the newest first."""

    items: list[KeptApartAnswer]


class SplitAnswer(View):
    """A row of the ledger: which node was split, why and by whom; `undone_at` is null while it holds."""

    id: UUID
    node_id: UUID
    name: str | None = Field(description="The node's current name; null if it was deleted.")
    new_node_id: UUID
    new_name: str | None
    mentions: int = Field(description="Number of mentions that were moved to the new node.")
    reason: str = Field(description="sense (stated by the texts) or person.")
    decided_by: str
    created_at: datetime
    undone_at: datetime | None
    undone_by: str | None
