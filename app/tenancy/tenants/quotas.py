"""Rules of quotas: what a tenant has and may have, and the refusal of what exceeds it.

Documents, bytes and spaces are checked under a lock of the tenant, so simultaneous submissions cannot exceed
them together. Chunks and nodes are checked before each batch of a job, so they exceed their limit at most by
the batches in progress.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from app.db.models import Tenant
from app.db.session import OpenSession, PlatformSession, SpaceSession, TenantSession
from app.errors import InvalidInput, QuotaExceeded
from app.ids import TenantId
from app.jobs import queue
from app.llm.errors import TokensExhausted
from app.tenancy.audit import service as audit
from app.tenancy.tenants import repository
from app.tenancy.tenants import service as tenants
from app.tenancy.tenants.repository import read_totals_of_space
from app.tenancy.tenants.shapes import SpaceTotals
from app.tenant_quotas import QUOTAS, STORED_QUOTAS, TOKENS

__all__ = ["read_totals_of_space"]

# Rows of a space's size that may exist before they are combined.
_MAX_SIZE_ROWS = 64
MAX_SETTABLE_QUOTA = 10**15


@dataclass(frozen=True)
class QuotaUsage:
    """The amounts that a tenant has, and may have, by the names of `STORED`; `used` is without queued jobs,
    which only the platform sees.
    """

    used: Mapping[str, int]
    limits: Mapping[str, int]
    size_row_count: int

    def compute_remaining(self, quota: str) -> int:
        """Return how many more are allowed; negative if there are too many."""
        return self.limits[quota] - self.used[quota]

    def check_room_for(self, quota: str, added_amount: int) -> None:
        """Raise QuotaExceeded if `added_amount` would exceed the quota."""
        if added_amount > 0 and added_amount > self.compute_remaining(quota):
            raise self.build_quota_exceeded_error(quota, added_amount)

    def check_room_for_any(self, quota: str) -> None:
        """Raise QuotaExceeded if the quota is full: the amount to be added is not known yet."""
        if self.compute_remaining(quota) <= 0:
            raise self.build_quota_exceeded_error(quota)

    def build_quota_exceeded_error(self, quota: str, added_amount: int | None = None) -> QuotaExceeded:
        """Return the error for a quota without room for this amount, None if the amount is not known."""
        return QuotaExceeded(quota, used=self.used[quota], limit=self.limits[quota], added=added_amount)


def get_quota_usage(session: SpaceSession | TenantSession) -> QuotaUsage:
    """Return what the session's tenant holds and may hold."""
    space_id = session.space_id if isinstance(session, SpaceSession) else None
    return _load_quota_usage(session, session.tenant_id, space_id)


def read_totals_of_nonempty_spaces(
    tenant: TenantSession, space_ids: Sequence[UUID]
) -> dict[UUID, SpaceTotals]:
    """Return what each of these spaces of the tenant holds; empty spaces are left out."""
    return repository.read_totals_of_nonempty_spaces(tenant, space_ids) if space_ids else {}


def get_effective_limits_of_tenant(platform: PlatformSession, tenant_id: TenantId) -> Mapping[str, int]:
    """Return the tenant's limits, by the names of `STORED`."""
    return _get_effective_limits(platform, repository.read_limits_set_for_tenant(platform, tenant_id))


def get_quota_limit_of_tenant(session: OpenSession, tenant: Tenant, quota: str) -> int | None:
    """Return the tenant's own limit of one of `QUOTAS`, otherwise the platform's; None for unlimited
    tokens.
    """
    if quota == TOKENS:
        return tenant.quotas.get(quota, session.orm.platform.tenant_tokens)
    return tenant.quotas.get(quota, session.orm.platform.get_platform_limit(quota))


def _load_quota_usage(session: OpenSession, tenant_id: TenantId, space_id: UUID | None) -> QuotaUsage:
    tenant_size = repository.read_tenant_size_and_limits(session, tenant_id, space_id)
    used_amounts = {
        "documents": tenant_size.documents,
        "bytes": tenant_size.bytes,
        "chunks": tenant_size.chunks,
        "nodes": tenant_size.nodes,
        "spaces": tenant_size.spaces,
    }
    return QuotaUsage(
        used_amounts, _get_effective_limits(session, tenant_size.own_limits), tenant_size.size_rows_of_space
    )


def _get_effective_limits(session: OpenSession, tenant_limits: Mapping[str, int] | None) -> dict[str, int]:
    return {
        quota: (tenant_limits or {}).get(quota, session.orm.platform.get_platform_limit(quota))
        for quota in STORED_QUOTAS
    }


def check_cluster_nodes_answer(session: SpaceSession | TenantSession) -> None:
    """On a cluster, read what the tenant holds on each node. Call it before a transaction that will check the
    quotas locks anything.

    If a node is silent, the transaction is ended, but the coordinator keeps its locks until the node answers
    or TCP gives up. Raises ConnectionFailure then.
    """
    if session.is_clustered:
        get_quota_usage(session)


def lock_and_check_submission_quotas(
    space: SpaceSession, *, added_documents: int, added_bytes: int
) -> QuotaUsage:
    """Return what the tenant has. Raises QuotaExceeded if there is no room for this many more documents and
    bytes.

    Locks the quotas of the tenant until the transaction ends.
    """
    repository.lock_quotas(space)
    quota_usage = get_quota_usage(space)
    quota_usage.check_room_for("documents", added_documents)
    quota_usage.check_room_for("bytes", added_bytes)
    # Their number is known only after reading; if the quota is full, no document is read.
    quota_usage.check_room_for_any("chunks")
    quota_usage.check_room_for_any("nodes")
    return quota_usage


def lock_and_check_space_quota(tenant: TenantSession) -> None:
    """Raise QuotaExceeded if the tenant may not have another space."""
    check_cluster_nodes_answer(tenant)
    repository.lock_quotas(tenant)
    get_quota_usage(tenant).check_room_for("spaces", 1)


def compact_size_rows_if_many(space: SpaceSession, quota_usage: QuotaUsage) -> None:
    """Combine the rows of the space's size if there are many.

    Call it after something was added to the space, which prevents a simultaneous deletion of the space.
    """
    if quota_usage.size_row_count > _MAX_SIZE_ROWS:
        repository.compact_size_rows(space)


def change_quotas_and_unpark_jobs(
    platform: PlatformSession, name_or_id: str | UUID, changes: Mapping[str, int | None], *, actor: str
) -> Tenant:
    """Set a tenant's own limits; None resets one to the platform's. Jobs that waited for them continue.

    Raises NotFound, InvalidInput.
    """
    if unknown_quotas := sorted(set(changes) - set(QUOTAS)):
        raise InvalidInput(
            f"Quotas are {', '.join(QUOTAS)}; not {unknown_quotas[0][:40]}.", code="unknown_quota"
        )
    if any(value is not None and not 0 <= value <= MAX_SETTABLE_QUOTA for value in changes.values()):
        raise InvalidInput("A quota is a whole number, 0 or more.", code="bad_quota")
    tenant = tenants.get_tenant(platform, name_or_id)
    repository.lock_tenant_and_set_quotas(platform, tenant, changes)
    queue.unpark_jobs_of_tenant_and_count(platform, TenantId(tenant.id), code=TokensExhausted.code)
    audit.record_platform_action(
        platform,
        "tenant.quota",
        actor=actor,
        tenant_id=TenantId(tenant.id),
        target=tenant.id,
        details=dict(changes),
    )
    return tenant
