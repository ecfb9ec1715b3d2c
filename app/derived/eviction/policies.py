"""The eviction policy of a space, and the chunks that it would evict; `job.py` evicts them."""

from datetime import timedelta

from app.db.session import SpaceSession
from app.derived.eviction import repository
from app.derived.eviction.shapes import Plan, Policy, RecallWeights
from app.space_settings import Eviction

EXAMINED_CHUNKS = 10_000
"""Number of chunks that one plan examines, so that its time does not depend on the size of the space."""
TRUNCATION_NOTE = (
    f"Only the first {EXAMINED_CHUNKS:,} chunks in the order of going were examined: the list ends there, "
    "and evictable and protected count these."
)


def get_eviction_policy_of_space(
    space: SpaceSession, *, including_last_evidence: bool | None = None
) -> Policy:
    """Return the space's policy, with the platform's numbers as defaults.

    `including_last_evidence` overrides the space's settings.
    """
    settings = space.settings
    count_weight, average_weight, recency_weight = settings.recall_weights
    return Policy(
        settings.eviction,
        settings.eviction_ttl_days,
        settings.eviction_max_chunks,
        settings.eviction_min_value,
        settings.eviction_last_evidence if including_last_evidence is None else including_last_evidence,
        RecallWeights(
            count_weight,
            average_weight,
            recency_weight,
            timedelta(days=settings.recall_half_life_days),
        ),
        timedelta(days=settings.eviction_grace_days),
    )


def list_evictable_chunks(
    space: SpaceSession,
    *,
    including_last_evidence: bool | None = None,
    max_examined_chunks: int = EXAMINED_CHUNKS,
    after: int = 0,
    limit: int = 100,
) -> Plan:
    """Return the current eviction plan in eviction order, listing chunks after rank `after` (requirement
    12.2).

    A dry run shows it and an eviction follows it. A chunk that is the last evidence of an edge is spared
    unless the settings or the caller say otherwise; so are chunks of a document that is being read. In a
    large space the first `max_examined_chunks` chunks in eviction order are examined.
    """
    policy = get_eviction_policy_of_space(space, including_last_evidence=including_last_evidence)
    if policy.eviction is Eviction.NONE:
        return Plan(policy)
    return repository.list_evictable_chunks(
        space, policy, max_examined_chunks=max_examined_chunks, after=after, limit=limit
    )
