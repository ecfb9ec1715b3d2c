"""What doors ask of memory: what a space's policy would give up, without giving up anything."""

from app.db.session import SpaceSession
from app.memory import repository
from app.memory.shapes import Plan, Policy
from app.spaces import service as spaces
from app.spaces.shapes import Eviction

GRACE_DAYS = 7
"""Age below which recall_based leaves a chunk alone: nobody has had the time to ask for it."""


def policy_of(space: SpaceSession, *, including_last_evidence: bool | None = None) -> Policy:
    """The space's own policy; what was asked about the last evidence of edges counts for more than its settings."""
    own = spaces.settings_of(space)
    asked = including_last_evidence
    return Policy(
        own.eviction,
        own.eviction_ttl_days,
        own.eviction_max_chunks,
        own.eviction_min_value,
        own.eviction_last_evidence if asked is None else asked,
    )


def plan_eviction(
    space: SpaceSession, *, including_last_evidence: bool | None = None, after: int = 0, limit: int = 100
) -> Plan:
    """What the policy gives up as things stand, first to go first, listed past place `after` (requirement 12.2).

    A dry run shows it and a real one goes by it. A chunk that is the last evidence of an edge is spared
    unless the settings or the caller ask otherwise; so are chunks of a document that is being read.
    """
    policy = policy_of(space, including_last_evidence=including_last_evidence)
    if policy.eviction is Eviction.NONE:
        return Plan(policy)
    return repository.plan_eviction(space, policy, grace_days=GRACE_DAYS, after=after, limit=limit)
