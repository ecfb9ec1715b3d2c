"""Communities of nodes and the runs that detected them."""

from datetime import datetime
from uuid import UUID

from pydantic import Field

from app.views.view import View


class FindingAnswer(View):
    """One sentence of a report and the edges that support it."""

    text: str
    edge_ids: list[UUID]


class CommunityAnswer(View):
    """Nodes that are closely connected, with the report on them."""

    id: UUID
    level: int = Field(
        description="0 is the coarsest; each further level divides the communities of the previous one."
    )
    parent_id: UUID | None
    member_count: int
    title: str
    summary: str
    findings: list[FindingAnswer]
    reported_by: str | None = Field(description="rules or the model's name; null before the first report.")
    reported_at: datetime | None
    stale: bool = Field(description="Whether members or facts changed since the report.")
    created_at: datetime
    updated_at: datetime


class CommunityMemberAnswer(View):
    """A node of a community; `weight` is the weight of its edges within its community of level 0."""

    node_id: UUID
    canonical_name: str
    node_type: str
    mention_count: int
    weight: float


class CommunityEventAnswer(View):
    """An event of a run: a community is new, split (from `other_ids`), merged (into them) or gone."""

    change: str
    other_ids: list[UUID]
    created_at: datetime


class CommunityDetailAnswer(CommunityAnswer):
    """A community with its hundred most central members, the communities it divides into, and its history."""

    members: list[CommunityMemberAnswer]
    parts: list[CommunityAnswer]
    history: list[CommunityEventAnswer]


class CommunityRunAnswer(View):
    """One run of the detection, with the numbers of communities that it found new, split, merged and gone."""

    id: UUID
    created_at: datetime
    nodes: int
    pairs: int = Field(description="Pairs of nodes that are connected closely enough to count.")
    communities: int
    modularity: float = Field(description="Of level 0, at most 1.")
    partials: int | None = Field(
        description="Partial runs since the last complete run; 0 for a complete run."
    )
    new: int
    split: int
    merged: int
    gone: int = Field(description="Communities that no longer exist.")


class RunEventAnswer(View):
    """A community that a run found new, split (from `other_ids`), merged (into them) or gone."""

    id: UUID
    change: str
    community_id: UUID
    level: int
    title: str
    other_ids: list[UUID]
    exists: bool = Field(description="Whether it still exists.")
