"""Rules about tenants and their API keys."""

import hmac
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from uuid import UUID

from app.db.models import ApiKey, Tenant
from app.db.session import Database, OpenSession, PlatformSession, SpaceSession, TenantSession
from app.errors import Conflict, InvalidInput, NotFound, ScopeMissing, Unauthenticated
from app.ids import ApiKeyId, JobId, ReservationId, SpaceId, TenantId, new_id
from app.jobs import queue
from app.llm.errors import BudgetExhausted
from app.tenancy.audit import receipts
from app.tenancy.audit import service as audit
from app.tenancy.tenants import repository
from app.tenancy.tenants.keys import NewToken, hash_secret, new_token, parse_token
from app.tenancy.tenants.repository import (
    delete_expired_reservations,
    delete_keys_and_accounts,
    is_tenant_closed,
    keep_space_usage,
    list_closed_tenants,
    list_keys,
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
    "list_keys",
    "list_tenants",
    "list_usage",
    "release_reservation",
    "remaining_month_budget",
]

SCOPES = ("read", "write", "admin")
# Compared against when the public id is unknown, so that both cases do the same work.
_NO_HASH = hash_secret("")


@dataclass(frozen=True)
class Caller:
    """Who is calling: one tenant, through one key. `space_ids` None means all its spaces.

    `expires_at` is the key's own end; None means that it has none.
    """

    tenant_id: TenantId
    actor: str
    scopes: frozenset[str]
    space_ids: frozenset[SpaceId] | None = None
    expires_at: datetime | None = None

    def may_open_space(self, space_id: SpaceId) -> bool:
        """Return whether the key reaches that space, provided that the tenant owns it."""
        return self.space_ids is None or space_id in self.space_ids


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
    with receipts.count_deleted_rows(platform, None) as rows:
        repository.delete_keys_and_accounts(platform, tenant_id)
    audit.record_platform(platform, "tenant.close", actor=actor, tenant_id=tenant_id, details=rows)


def erase_closed_tenant(
    platform: PlatformSession, tenant_id: TenantId, *, earlier: receipts.Rows, actor: str
) -> receipts.Rows | None:
    """Erase a closed tenant that has no spaces any more, leaving one audit row (requirement 1.4).

    Returns the rows that went by table, with the `earlier` ones; None where it is gone already.
    """
    with receipts.count_deleted_rows(platform, None) as last:
        if not repository.erase_closed_tenant(platform, tenant_id):
            return None
    rows = receipts.add_row_counts(earlier, last)
    audit.record_platform(
        platform, "tenant.erase", actor=actor, tenant_id=None, target=tenant_id, details=rows
    )
    return rows


def create_key(
    tenant: TenantSession,
    *,
    name: str,
    scopes: Sequence[str],
    actor: str,
    space_ids: Sequence[SpaceId] | None = None,
    expires_at: datetime | None = None,
    granted_by: Caller | None = None,
) -> tuple[ApiKey, NewToken]:
    """A new key and its token, which is shown this once. Raises InvalidInput for an unknown scope.

    A key that is `granted_by` another may do no more than that one, and ends no later: raises
    ScopeMissing and InvalidInput. None means the operator, who may grant everything.
    """
    unknown = sorted(set(scopes) - set(SCOPES))
    if unknown or not scopes:
        raise InvalidInput(f"Scopes are {', '.join(SCOPES)}; at least one is needed.", code="unknown_scope")
    if granted_by is not None:
        expires_at = _check_grant_within_callers(granted_by, scopes, space_ids, expires_at)
    token = new_token()
    key = ApiKey(
        id=new_id(),
        tenant_id=tenant.tenant_id,
        key_id=token.key_id,
        secret_hash=token.secret_hash,
        name=name,
        scopes=sorted(set(scopes)),
        space_ids=list(space_ids) if space_ids is not None else None,
        expires_at=expires_at,
    )
    repository.add_key(tenant, key)
    audit.record(
        tenant,
        "key.create",
        actor=actor,
        target=key.id,
        others=space_ids or (),
        details={"scopes": key.scopes, "expires": expires_at is not None},
    )
    return key, token


def _check_grant_within_callers(
    granter: Caller,
    scopes: Sequence[str],
    space_ids: Sequence[SpaceId] | None,
    expires_at: datetime | None,
) -> datetime | None:
    """When a key that this caller makes ends. Raises where it would do more, or longer, than the caller's
    own.

    Else whoever got hold of a key could keep or widen what it opens by making another.
    """
    lacking = [scope for scope in SCOPES if scope in set(scopes) - granter.scopes]
    if lacking:
        raise ScopeMissing(f"A key grants only scopes of its own; this one lacks {', '.join(lacking)}.")
    if granter.space_ids is not None and not (space_ids and set(space_ids) <= granter.space_ids):
        raise ScopeMissing("A key grants only spaces that it reaches itself.")
    if granter.expires_at is None or expires_at is None:
        return expires_at or granter.expires_at
    if expires_at > granter.expires_at:
        raise InvalidInput("A key cannot expire later than the one that makes it.", code="expires_too_late")
    return expires_at


def revoke_key(tenant: TenantSession, api_key_id: ApiKeyId, *, actor: str) -> None:
    """End a key at once. Raises NotFound for one that is unknown or already revoked."""
    if not repository.revoke_key(tenant, api_key_id):
        raise NotFound("API key")
    audit.record(tenant, "key.revoke", actor=actor, target=api_key_id)


def authenticate(platform: PlatformSession, token: str, *, now: datetime | None = None) -> Caller:
    """The caller that a token stands for. Raises Unauthenticated, alike for every reason (bad input 56)."""
    parsed = parse_token(token)
    key_id, secret = parsed if parsed else ("", "")
    key = repository.find_key(platform, key_id)
    matches = hmac.compare_digest(hash_secret(secret), key.secret_hash if key else _NO_HASH)
    if key is None or not matches or not _is_valid_key(key, now or datetime.now(UTC)):
        raise Unauthenticated
    repository.touch_key(platform, ApiKeyId(key.id))
    return _caller_of_key(key)


def valid_callers(platform: PlatformSession, key_ids: Collection[str]) -> dict[str, Caller]:
    """Return the callers of keys authenticated earlier, by public id; without keys that have since ended."""
    now = datetime.now(UTC)
    return {
        key.key_id: _caller_of_key(key)
        for key in repository.find_keys(platform, key_ids)
        if _is_valid_key(key, now)
    }


def get_key_id(platform: PlatformSession, key_id: str) -> ApiKeyId:
    """The id of the key with this public id. Raises NotFound."""
    key = repository.find_key(platform, key_id)
    if key is None:
        raise NotFound("API key")
    return ApiKeyId(key.id)


def _is_valid_key(key: ApiKey, now: datetime) -> bool:
    return key.revoked_at is None and (key.expires_at is None or key.expires_at > now)


def _caller_of_key(key: ApiKey) -> Caller:
    spaces = None if key.space_ids is None else frozenset(SpaceId(space_id) for space_id in key.space_ids)
    return Caller(TenantId(key.tenant_id), key.key_id, frozenset(key.scopes), spaces, key.expires_at)


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
