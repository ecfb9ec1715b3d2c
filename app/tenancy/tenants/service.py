"""Rules about tenants and what they may spend."""

from decimal import Decimal
from uuid import UUID

from app.db.models import ApiKey, Tenant
from app.db.session import Database, OpenSession, PlatformSession, SpaceSession, TenantSession
from app.errors import Conflict, InvalidInput, NotFound
from app.ids import JobId, ReservationId, SpaceId, TenantId, new_id
from app.jobs import queue
from app.llm.errors import BudgetExhausted
from app.tenancy.audit import receipts
from app.tenancy.audit import service as audit
from app.tenancy.tenants import repository
from app.tenancy.tenants.api_key_text import NewToken
from app.tenancy.tenants.api_keys import SCOPES, create_key
from app.tenancy.tenants.repository import (
    delete_expired_reservations,
    delete_keys_and_accounts,
    is_tenant_closed,
    keep_space_usage,
    list_closed_tenants,
    list_tenants,
    list_usage,
    release_reservation,
    remaining_month_budget,
)
from app.tenancy.tenants.tokens import budget_exhausted_error, tokens_exhausted_error

__all__ = [
    "delete_expired_reservations",
    "delete_keys_and_accounts",
    "is_tenant_closed",
    "keep_space_usage",
    "list_closed_tenants",
    "list_tenants",
    "list_usage",
    "release_reservation",
    "remaining_month_budget",
]


def create_tenant(platform: PlatformSession, *, name: str, actor: str) -> Tenant:
    """A new tenant. Raises Conflict where the name is taken."""
    if repository.find_tenant(platform, name) is not None:
        raise Conflict("A tenant of that name exists.", code="name_taken")
    tenant = Tenant(id=new_id(), name=name)
    repository.add_tenant(platform, tenant)
    audit.record_platform(
        platform, "tenant.create", actor=actor, tenant_id=TenantId(tenant.id), target=tenant.id
    )
    return tenant


def create_tenant_and_key(database: Database, *, name: str, actor: str) -> tuple[Tenant, ApiKey, NewToken]:
    """A new tenant and its first key, which may do everything in it. Raises Conflict where the name is taken.

    Two transactions: a key is written under its tenant's own wall, which stands once the tenant does.
    """
    with database.open_platform() as platform:
        tenant = create_tenant(platform, name=name, actor=actor)
    with database.open_tenant(TenantId(tenant.id)) as session:
        key, token = create_key(session, name="first key", scopes=SCOPES, actor=actor)
    return tenant, key, token


def get_tenant(platform: PlatformSession, name_or_id: str | UUID) -> Tenant:
    """The tenant with that name or id; a UUID is never taken for a name. Raises NotFound."""
    tenant = None if isinstance(name_or_id, UUID) else repository.find_tenant(platform, name_or_id)
    if tenant is None:
        try:
            tenant = repository.get_tenant(platform, TenantId(UUID(str(name_or_id))))
        except ValueError:
            tenant = None
    if tenant is None:
        raise NotFound("tenant")
    return tenant


def get_session_tenant(tenant: TenantSession) -> Tenant:
    """The tenant of the session. Raises NotFound once it is erased."""
    tenant_row = repository.get_session_tenant(tenant)
    if tenant_row is None:
        raise NotFound("tenant")
    return tenant_row


def rename_tenant(platform: PlatformSession, tenant_id: TenantId, name: str, *, actor: str) -> Tenant:
    """The tenant under another name. Raises NotFound, Conflict where the name is taken."""
    tenant = get_tenant(platform, tenant_id)
    if name != tenant.name:
        if repository.find_tenant(platform, name) is not None:
            raise Conflict("A tenant of that name exists.", code="name_taken")
        tenant.name = name
        audit.record_platform(platform, "tenant.rename", actor=actor, tenant_id=tenant_id, target=tenant_id)
    return tenant


def close_tenant(platform: PlatformSession, tenant_id: TenantId, *, actor: str) -> None:
    """Begin to erase a tenant: nobody finds it, and its keys and accounts are gone. Raises NotFound."""
    if not repository.close_tenant(platform, tenant_id):
        raise NotFound("tenant")
    with receipts.counting_deleted_rows(platform, None) as rows:
        repository.delete_keys_and_accounts(platform, tenant_id)
    audit.record_platform(platform, "tenant.close", actor=actor, tenant_id=tenant_id, details=rows)


def erase_closed_tenant(
    platform: PlatformSession, tenant_id: TenantId, *, earlier: receipts.Rows, actor: str
) -> receipts.Rows | None:
    """Erase a closed tenant that has no spaces any more, leaving one audit row (requirement 1.4).

    Returns the rows that went by table, with the `earlier` ones; None where it is gone already.
    """
    with receipts.counting_deleted_rows(platform, None) as last:
        if not repository.erase_closed_tenant(platform, tenant_id):
            return None
    rows = receipts.add_row_counts(earlier, last)
    audit.record_platform(
        platform, "tenant.erase", actor=actor, tenant_id=None, target=tenant_id, details=rows
    )
    return rows


def count_usage(session: OpenSession, *, space_id: SpaceId, **amounts: int | float) -> None:
    """Add to today's counters of a space; names are those of usage_daily's columns."""
    repository.count_usage(session, space_id=space_id, **amounts)


def reserve_budget(
    space: SpaceSession, job_id: JobId | None, *, cost_usd: Decimal, tokens: int, seconds: float
) -> ReservationId | None:
    """Set aside what a call will take at most; None where there is neither a budget nor a limit of tokens.

    Raises BudgetExhausted or TokensExhausted where the rest does not hold it.

    All processes of the tenant reserve one after another, so that together they stay within the budget. What
    is not released counts for `seconds`, or as long as the job has a lease.
    """
    reservation = ReservationId(new_id())
    affordable, limit, used, in_flight, is_reserved = repository.reserve_budget(
        space, reservation, job_id, cost_usd=cost_usd, tokens=tokens, seconds=seconds
    )
    if affordable is False:
        raise budget_exhausted_error()
    if limit is not None and not is_reserved:
        raise tokens_exhausted_error(used, in_flight, tokens, limit)
    return reservation if is_reserved else None


def set_budget(
    platform: PlatformSession, name_or_id: str | UUID, budget_usd: float | None, *, actor: str
) -> Tenant:
    """The tenant with a monthly budget for model calls, or with none; jobs that waited for it go on.

    Raises NotFound, InvalidInput.
    """
    if budget_usd is not None and not 0 <= budget_usd < 1e12:
        raise InvalidInput("A budget is a number of US dollars, 0 or more.", code="bad_budget")
    tenant = get_tenant(platform, name_or_id)
    repository.set_budget(platform, tenant, budget_usd)
    queue.unpark_jobs_of_tenant(platform, TenantId(tenant.id), code=BudgetExhausted.code)
    audit.record_platform(
        platform,
        "tenant.budget",
        actor=actor,
        tenant_id=TenantId(tenant.id),
        target=tenant.id,
        details={"budget_usd": budget_usd},
    )
    return tenant
