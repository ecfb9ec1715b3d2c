"""Reads and writes of tenants, keys and usage."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import nullcontext
from datetime import date
from decimal import Decimal
from typing import Any, NamedTuple
from uuid import UUID, uuid4

from sqlalchemy import Select, and_, delete, func, or_, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import DBAPIError

from app.db.errors import is_cluster_node_unreachable
from app.db.models import ApiKey, KnowledgeSpace, SpaceSize, Tenant, UsageDaily, WallExamination
from app.db.session import OpenSession, PlatformSession, SpaceSession, TenantSession
from app.ids import ApiKeyId, JobId, ReservationId, SpaceId, TenantId
from app.tenancy.tenants.shapes import (
    DayUse,
    MonthCost,
    SpaceTotals,
    TenantSize,
    TokenAllowance,
    UsageSums,
    UsedBySpace,
    UsedOnDay,
)

_SIZE_COLUMNS = ("documents", "bytes", "chunks", "nodes")


def add_tenant(platform: PlatformSession, tenant: Tenant) -> None:
    """Store a new tenant."""
    platform.orm.add(tenant)
    platform.orm.flush()


def find_tenant(platform: PlatformSession, name: str) -> Tenant | None:
    """Return the tenant with that name, or None."""
    return platform.orm.scalar(select(Tenant).where(Tenant.name == name, Tenant.closed_at.is_(None)))


def get_tenant(platform: PlatformSession, tenant_id: TenantId) -> Tenant | None:
    """Return the tenant with that id, or None."""
    return platform.orm.scalar(select(Tenant).where(Tenant.id == tenant_id, Tenant.closed_at.is_(None)))


def get_session_tenant(tenant: TenantSession) -> Tenant | None:
    """Return the tenant of the session, or None."""
    query = select(Tenant).where(Tenant.id == tenant.tenant_id, Tenant.closed_at.is_(None))
    return tenant.orm.scalar(query)


def list_tenants(
    platform: PlatformSession, *, after: UUID | None = None, limit: int = 100
) -> Sequence[Tenant]:
    """Return tenants in the order of their creation, after `after`."""
    query = select(Tenant).where(Tenant.closed_at.is_(None)).order_by(Tenant.id).limit(limit)
    if after is not None:
        query = query.where(Tenant.id > after)
    return platform.orm.scalars(query).all()


def close_tenant(platform: PlatformSession, tenant_id: TenantId) -> bool:
    """Close the tenant, so that it cannot be found; return False if there is none or it is already closed."""
    return bool(platform.run("tenancy.tenants.close_tenant", {"id": tenant_id}))


def delete_keys_and_accounts(platform: PlatformSession, tenant_id: TenantId) -> None:
    """Remove the keys and accounts of a closed tenant, including those that a concurrent request created."""
    platform.run("tenancy.tenants.delete_keys_and_accounts", {"id": tenant_id})


def is_tenant_closed(platform: PlatformSession, tenant_id: TenantId) -> bool:
    """Return whether the tenant's erasure was requested and has not ended."""
    query = select(Tenant.id).where(Tenant.id == tenant_id, Tenant.closed_at.is_not(None))
    return platform.orm.scalar(query) is not None


def list_closed_tenant_ids(platform: PlatformSession, *, limit: int = 10) -> list[TenantId]:
    """Return tenants whose erasure was requested and has not ended, the earliest request first."""
    query = select(Tenant.id).where(Tenant.closed_at.is_not(None)).order_by(Tenant.closed_at).limit(limit)
    return [TenantId(tenant_id) for tenant_id in platform.orm.scalars(query)]


def erase_closed_tenant(platform: PlatformSession, tenant_id: TenantId) -> bool:
    """Erase a closed tenant and, by cascade, all that it owns; return False if there was none."""
    deleted_rows = platform.orm.execute(
        delete(Tenant).where(Tenant.id == tenant_id, Tenant.closed_at.is_not(None)).returning(Tenant.id)
    )
    return deleted_rows.first() is not None


def preserve_month_usage_of_deleted_space(
    session: OpenSession, tenant_id: TenantId, space_id: SpaceId
) -> None:
    """Keep this month's usage of a space that is deleted, because the month's limits still count it."""
    session.run(
        "tenancy.tenants.preserve_month_usage_of_deleted_space",
        {"tenant_id": tenant_id, "space": space_id},
        should_prepare=False,
    )


def add_key(tenant: TenantSession, key: ApiKey) -> None:
    """Store a new key."""
    tenant.orm.add(key)
    tenant.orm.flush()


def find_key(platform: PlatformSession, key_id: str) -> ApiKey | None:
    """Return the key with that public id, of any tenant: the caller's tenant is not known yet."""
    return platform.orm.scalar(select(ApiKey).where(ApiKey.key_id == key_id))


def find_keys(platform: PlatformSession, key_ids: Collection[str]) -> Sequence[ApiKey]:
    """Return the keys with these public ids, of any tenants."""
    return platform.orm.scalars(select(ApiKey).where(ApiKey.key_id.in_(key_ids))).all()


def list_keys(tenant: TenantSession, *, after: UUID | None = None, limit: int = 100) -> Sequence[ApiKey]:
    """Return the tenant's keys in the order of their creation, after `after`."""
    query = select(ApiKey).where(ApiKey.tenant_id == tenant.tenant_id)
    if after is not None:
        query = query.where(ApiKey.id > after)
    return tenant.orm.scalars(query.order_by(ApiKey.id).limit(limit)).all()


def revoke_key(tenant: TenantSession, api_key_id: ApiKeyId) -> bool:
    """Mark the key as revoked; return False if the tenant has no such valid key."""
    revoked_rows = tenant.orm.execute(
        update(ApiKey)
        .where(ApiKey.tenant_id == tenant.tenant_id, ApiKey.id == api_key_id, ApiKey.revoked_at.is_(None))
        .values(revoked_at=func.now())
        .returning(ApiKey.id)
    )
    return revoked_rows.first() is not None


def record_key_use(platform: PlatformSession, api_key_id: ApiKeyId) -> None:
    """Record that the key was used, at most once a minute."""
    platform.run("tenancy.tenants.record_key_use", {"key": api_key_id})


class DayAndSpace(NamedTuple):
    """The position of a row in a listing of usage by day and space."""

    day: date
    space_id: UUID


def list_daily_usage(
    tenant: TenantSession,
    *,
    days: int = 30,
    after: DayAndSpace | None = None,
    space_ids: Collection[SpaceId] | None = None,
    limit: int | None = None,
) -> Sequence[UsageDaily]:
    """List the tenant's usage per space and day, newest first, restricted to the spaces in `space_ids`."""
    query = (
        select(UsageDaily)
        .where(UsageDaily.tenant_id == tenant.tenant_id, UsageDaily.day > func.current_date() - days)
        .order_by(UsageDaily.day.desc(), UsageDaily.knowledge_space_id)
        .limit(limit)
    )
    if after is not None:
        day, space_id = after
        is_later_space_of_day = and_(UsageDaily.day == day, UsageDaily.knowledge_space_id > space_id)
        query = query.where(or_(UsageDaily.day < day, is_later_space_of_day))
    if space_ids is not None:
        query = query.where(UsageDaily.knowledge_space_id.in_(space_ids))
    return tenant.orm.scalars(query).all()


def read_sizes_and_costs_of_tenants(
    platform: PlatformSession, tenant_ids: Sequence[UUID]
) -> list[TenantSize]:
    """Return the sizes of these tenants and their costs in this month.

    On a cluster it fails with each of the nodes.
    """
    if not tenant_ids:
        return []
    with platform.read_from_all_nodes() if platform.is_clustered else nullcontext():
        rows = platform.run(
            "tenancy.tenants.read_sizes_of_tenants", {"ids": list(tenant_ids)}, should_prepare=False
        )
    return [TenantSize(*row) for row in rows]


def read_usage_of_days_with_usage(
    session: OpenSession, space_id: UUID | None, *, days: int
) -> list[UsedOnDay]:
    """Return those of the last days that have any usage, of one space, or of all if `space_id` is None."""
    rows = session.run(
        "tenancy.tenants.read_usage_by_day", {"space": space_id, "days": days}, should_prepare=False
    )
    return [UsedOnDay(day, UsageSums(*amounts)) for day, *amounts in rows]


def read_usage_by_space(tenant: TenantSession, *, days: int, limit: int = 50) -> list[UsedBySpace]:
    """Return the spaces with usage in the last days, the most expensive first."""
    rows = tenant.run(
        "tenancy.tenants.read_usage_by_space", {"days": days, "limit": limit}, should_prepare=False
    )
    return [UsedBySpace(SpaceId(space_id), name, UsageSums(*amounts)) for space_id, name, *amounts in rows]


class MonthBudgetsAndSpending(NamedTuple):
    """The budgets of a tenant and a space for this month in US dollars, None for none, and what was spent."""

    tenant_budget: Decimal | None
    tenant_spending: Decimal
    space_budget: Decimal | None
    space_spending: Decimal


def read_month_budgets_and_spending(session: OpenSession, space_id: UUID | None) -> MonthBudgetsAndSpending:
    """Return the budgets and the spending of the tenant and of the space in this month."""
    return MonthBudgetsAndSpending(
        *session.run("tenancy.tenants.read_month_budgets", {"space": space_id}, should_prepare=False)[0]
    )


def add_to_daily_usage(session: OpenSession, *, space_id: UUID, **amounts: int | float) -> None:
    """Add to today's counters of a space, in the session's own tenant; counters that are not named are
    unchanged.
    """
    columns = (
        "documents",
        "chunks",
        "bytes",
        "model_calls",
        "prompt_tokens",
        "completion_tokens",
        "cost_usd",
        "queries",
    )
    session.run(
        "tenancy.tenants.count_usage", {"space": space_id, **{name: amounts.get(name, 0) for name in columns}}
    )


def read_remaining_month_budget_usd(space: SpaceSession) -> Decimal | None:
    """Return what remains of this month's budgets for the open space in US dollars, the smaller of its own
    and the tenant's.

    None means no limit.
    """
    remaining_usd = space.run("tenancy.tenants.read_remaining_month_budget")[0][0]
    return None if remaining_usd is None else Decimal(remaining_usd)


class BudgetReservation(NamedTuple):
    """The outcome for a call: whether the budgets allow it (None without one), and the month's tokens."""

    is_affordable: bool | None
    token_limit: int | None
    used_tokens: int
    tokens_in_flight: int
    is_reserved: bool


def reserve_budget(
    space: SpaceSession,
    reservation_id: ReservationId,
    job_id: JobId | None,
    *,
    cost_usd: Decimal,
    tokens: int,
    lifetime_seconds: float,
) -> BudgetReservation:
    """Reserve the cost of a call if it is within the limits."""
    _, rows = space.run_each_statement(
        "tenancy.tenants.reserve_budget",
        {
            "id": reservation_id,
            "job": job_id,
            "cost_usd": cost_usd,
            "tokens": tokens,
            "token_limit": space.orm.platform.tenant_tokens,
            "seconds": lifetime_seconds,
        },
    )
    return BudgetReservation(*rows[0])


def read_month_token_allowance(session: SpaceSession | TenantSession) -> TokenAllowance:
    """Return the token use of the session's tenant in this month; calls in progress are counted when they
    end.
    """
    return TokenAllowance(
        *session.run(
            "tenancy.tenants.read_month_token_allowance", {"token_limit": session.orm.platform.tenant_tokens}
        )[0]
    )


def release_reservation(space: SpaceSession, reservation_id: ReservationId) -> None:
    """Release the reservation of a call, in the transaction that records its actual cost."""
    space.run("tenancy.tenants.release_reservation", {"id": reservation_id})


def delete_expired_reservations(platform: PlatformSession) -> None:
    """Remove the reservations of calls that have been abandoned."""
    platform.run("tenancy.tenants.delete_expired_reservations")


def read_daily_use(space: SpaceSession, *, days: int = 30) -> list[DayUse]:
    """Return the use of the last days, earliest first, today last; days without use have zeros."""
    return [DayUse(*row) for row in space.run("tenancy.tenants.read_daily_use", {"days": days})]


def read_month_cost_and_budgets(space: SpaceSession) -> MonthCost:
    """Return what the space and the tenant have spent in this month, each with its budget."""
    return MonthCost(*space.run("tenancy.tenants.read_month_cost")[0])


def set_budget(platform: PlatformSession, tenant: Tenant, budget_usd: float | None) -> None:
    """Set the tenant's monthly budget, or remove it."""
    other_settings = {key: value for key, value in tenant.settings.items() if key != "budget_usd"}
    tenant.settings = other_settings if budget_usd is None else {**other_settings, "budget_usd": budget_usd}
    platform.orm.flush()


def read_limits_set_for_tenant(session: OpenSession, tenant_id: TenantId) -> Mapping[str, int] | None:
    """Return the tenant's own limits by name; None if it has none."""
    limits: Mapping[str, int] | None = session.orm.scalar(_build_tenant_limits_query(tenant_id))
    return limits


def _build_tenant_limits_query(tenant_id: TenantId) -> Select[Any]:
    return select(Tenant.settings["quotas"]).where(Tenant.id == tenant_id)


class TenantSizeAndLimits(NamedTuple):
    """The amounts that a tenant holds, the size rows of one of its spaces, and its own limits if any."""

    documents: int
    bytes: int
    chunks: int
    nodes: int
    size_rows_of_space: int
    spaces: int
    own_limits: Mapping[str, int] | None


def read_tenant_size_and_limits(
    session: OpenSession, tenant_id: TenantId, space_id: UUID | None
) -> TenantSizeAndLimits:
    """Return what the tenant holds and its own limits; the size rows are those of the space."""
    sums = [func.coalesce(func.sum(getattr(SpaceSize, size)), 0) for size in _SIZE_COLUMNS]
    row_count_of_space = func.count().filter(SpaceSize.knowledge_space_id == space_id)
    space_count_query = (
        select(func.count())
        .select_from(KnowledgeSpace)
        .where(KnowledgeSpace.tenant_id == tenant_id, KnowledgeSpace.closed_at.is_(None))
    )
    own_quotas_query = _build_tenant_limits_query(tenant_id)
    if session.is_clustered:
        space_count, limits = session.orm.execute(
            select(space_count_query.scalar_subquery(), own_quotas_query.scalar_subquery())
        ).one()
        sizes_query = select(*sums, row_count_of_space).where(SpaceSize.tenant_id == tenant_id)
        space_id_query = select(KnowledgeSpace.id).where(KnowledgeSpace.tenant_id == tenant_id)
        sizes_of_nodes = _read_size_rows_of_reachable_nodes(
            session, sizes_query, session.orm.scalars(space_id_query).all()
        )
        zero_sizes = (0,) * (len(_SIZE_COLUMNS) + 1)
        columns = zip(zero_sizes, *sizes_of_nodes, strict=True)
        return TenantSizeAndLimits._make(
            (*(sum(map(int, column)) for column in columns), space_count, limits)
        )
    query = select(
        *sums, row_count_of_space, space_count_query.scalar_subquery(), own_quotas_query.scalar_subquery()
    )
    *sizes, row_count, space_count, limits = session.orm.execute(
        query.where(SpaceSize.tenant_id == tenant_id)
    ).one()
    return TenantSizeAndLimits._make((*map(int, sizes), row_count, space_count, limits))


def _read_size_rows_of_reachable_nodes(
    session: OpenSession, query: Select[*tuple[Any, ...]], space_ids: Sequence[UUID]
) -> list[tuple[Any, ...]]:
    """Return the rows of a query of sizes for these spaces on a cluster, node by node.

    Spaces that cannot be opened because of their node are left out, so that they do not make the whole query
    fail: those on unreachable nodes, and on nodes where row security does not hold. Raises ConfigurationError
    if it does not hold on the coordinator.
    """
    rows: list[tuple[Any, ...]] = []
    space_ids_by_group: Iterable[tuple[Any, ...]] = [(None, space_ids)]
    with session.read_from_all_nodes() as refused_groups:
        # One space is on one node, so its node need not be looked up unless it may be refused.
        if len(space_ids) > 1 or refused_groups:
            space_ids_by_group = session.run("db.spaces_by_node", {"ids": list(space_ids)})
        for node_group, space_ids_of_group in space_ids_by_group:
            if node_group in refused_groups:
                continue
            try:
                with session.orm.begin_nested():
                    rows += session.orm.execute(
                        query.where(SpaceSize.knowledge_space_id.in_(space_ids_of_group))
                    ).all()
            except DBAPIError as error:
                if not is_cluster_node_unreachable(error):
                    raise
    return rows


def read_totals_of_space(space: SpaceSession) -> SpaceTotals:
    """Return what the space holds."""
    sums = [func.coalesce(func.sum(getattr(SpaceSize, size)), 0) for size in _SIZE_COLUMNS]
    query = select(*sums).where(
        SpaceSize.tenant_id == space.tenant_id, SpaceSize.knowledge_space_id == space.space_id
    )
    return SpaceTotals(*map(int, space.orm.execute(query).one()))


def read_totals_of_nonempty_spaces(
    tenant: TenantSession, space_ids: Sequence[UUID]
) -> dict[UUID, SpaceTotals]:
    """Return what each of these spaces holds, without those that are empty."""
    sums = [func.coalesce(func.sum(getattr(SpaceSize, size)), 0) for size in _SIZE_COLUMNS]
    query = (
        select(SpaceSize.knowledge_space_id, *sums)
        .where(SpaceSize.tenant_id == tenant.tenant_id)
        .group_by(SpaceSize.knowledge_space_id)
    )
    rows: Iterable[tuple[Any, ...]]
    if tenant.is_clustered:
        rows = _read_size_rows_of_reachable_nodes(tenant, query, space_ids)
    else:
        rows = tenant.orm.execute(query.where(SpaceSize.knowledge_space_id.in_(space_ids))).all()
    return {space_id: SpaceTotals(*map(int, sizes)) for space_id, *sizes in rows}


def lock_quotas(session: SpaceSession | TenantSession) -> None:
    """Lock the tenant's quotas until the transaction ends, so that nobody else adds to what it has."""
    session.run("tenancy.tenants.lock_quotas")


def compact_size_rows(space: SpaceSession) -> None:
    """Combine the rows of the space's size into one."""
    space.run("tenancy.tenants.compact_size_rows", {"row": uuid4()})


def lock_tenant_and_set_quotas(
    platform: PlatformSession, tenant: Tenant, changes: Mapping[str, int | None]
) -> None:
    """Set the tenant's own limits; None removes one."""
    platform.orm.refresh(tenant, with_for_update=True)
    quotas = {**tenant.settings.get("quotas", {}), **changes}
    own_quotas = {name: value for name, value in quotas.items() if value is not None}
    tenant.settings = {
        **{key: value for key, value in tenant.settings.items() if key != "quotas"},
        "quotas": own_quotas,
    }
    platform.orm.flush()


def store_or_replace_examination(
    platform: PlatformSession, tenant_id: TenantId, values: Mapping[str, Any]
) -> None:
    """Store an examination of the walls, replacing the previous one of the same tenant's operators."""
    platform.orm.execute(
        insert(WallExamination)
        .values(tenant_id=tenant_id, **values)
        .on_conflict_do_update(index_elements=[WallExamination.tenant_id], set_=dict(values))
    )


def find_newest_examination(platform: PlatformSession) -> WallExamination | None:
    """Return the newest examination for an operator of any tenant, or None."""
    # Rows with which the doctor itself tests the walls have no list.
    query = (
        select(WallExamination)
        .where(func.jsonb_typeof(WallExamination.verdicts) == "array")
        .order_by(WallExamination.examined_at.desc())
        .limit(1)
    )
    return platform.orm.scalar(query)
