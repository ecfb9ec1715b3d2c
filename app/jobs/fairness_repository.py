"""Fairness of the queue between tenants: whose job is next, and when a long job gives way to others.

The tenant with the fewest running jobs comes first, and among equals the one that has waited longest.
"""

from collections.abc import Sequence

from app.db.session import PlatformSession, SpaceSession
from app.ids import TenantId
from app.jobs.kinds import SCHEMA_VERSION


def lock_next_tenant(platform: PlatformSession, *, kinds: Sequence[str]) -> TenantId | None:
    """Return the tenant whose turn it is, its row locked until the transaction ends; None if no job of these
    kinds can start.
    """
    rows = platform.run("jobs.lock_next_tenant", {"kinds": list(kinds), "schema_version": SCHEMA_VERSION})
    return TenantId(rows[0][0]) if rows else None


def do_other_tenants_wait(platform: PlatformSession, tenant_id: TenantId, *, kinds: Sequence[str]) -> bool:
    """Return whether a job of another tenant, which a free worker would claim, has waited for a second."""
    parameters = {"kinds": list(kinds), "schema_version": SCHEMA_VERSION, "tenant": tenant_id}
    return bool(platform.run("jobs.do_other_tenants_wait", parameters)[0][0])


def move_tenant_behind_waiting(space: SpaceSession) -> None:
    """Move the space's tenant behind the tenants that wait."""
    space.run("jobs.move_tenant_behind_waiting")
