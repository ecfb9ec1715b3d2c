"""Memory as doors use it: the plan of a space's policy, without giving up anything."""

from datetime import timedelta

from app.db.session import SpaceSession
from app.derived.eviction import repository
from app.derived.eviction.shapes import Plan, Policy
from app.domain.scoring.recall_value import RecallWeights
from app.space_settings import Eviction

EXAMINED = 10_000
"""Chunks that one plan examines, so that it takes the same time in a space of any size."""
TRUNCATED = (
    f"Only the first {EXAMINED:,} chunks in the order of going were examined: the list ends there, "
    "and evictable and spared count these."
)


def eviction_policy_of_space(space: SpaceSession, *, including_last_evidence: bool | None = None) -> Policy:
    """The space's own policy, by the platform's numbers where it sets none.

    What was asked about the last evidence of edges counts for more than its settings.
    """
    settings = space.settings
    count, average, recency = settings.recall_weights
    return Policy(
        settings.eviction,
        settings.eviction_ttl_days,
        settings.eviction_max_chunks,
        settings.eviction_min_value,
        settings.eviction_last_evidence if including_last_evidence is None else including_last_evidence,
        RecallWeights(
            count,
            average,
            recency,
            timedelta(days=settings.recall_half_life_days),
        ),
        timedelta(days=settings.eviction_grace_days),
    )


def plan_eviction(
    space: SpaceSession,
    *,
    including_last_evidence: bool | None = None,
    examine: int = EXAMINED,
    after: int = 0,
    limit: int = 100,
) -> Plan:
    """Plan the eviction as things stand, first to go first, listed past place `after` (requirement 12.2).

    A dry run shows it and a real one goes by it. A chunk that is the last evidence of an edge is spared
    unless the settings or the caller ask otherwise; so are chunks of a document that is being read. Of a
    large space the first `examine` chunks in the order of going are examined.
    """
    policy = eviction_policy_of_space(space, including_last_evidence=including_last_evidence)
    if policy.eviction is Eviction.NONE:
        return Plan(policy)
    return repository.plan_eviction(space, policy, examine=examine, after=after, limit=limit)
