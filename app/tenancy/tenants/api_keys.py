"""Rules of API keys: who may create one, what it permits, and which caller it identifies."""

import hmac
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple

from app.db.models import ApiKey
from app.db.session import PlatformSession, TenantSession
from app.errors import InvalidInput, NotFound, ScopeMissing, Unauthenticated
from app.ids import ApiKeyId, SpaceId, TenantId, create_id
from app.tenancy.audit import service as audit
from app.tenancy.tenants import repository
from app.tenancy.tenants.api_key_token import NewToken, create_token, hash_secret, parse_token
from app.tenancy.tenants.repository import list_keys

__all__ = ["list_keys"]

SCOPES = ("read", "write", "admin")
# Compared if the public id is unknown, so that both cases do the same work.
_HASH_OF_NO_SECRET = hash_secret("")


@dataclass(frozen=True)
class Caller:
    """The caller: one tenant, through one key. `space_ids` None means all its spaces.

    `expires_at` is the expiry of the key; None means that it does not expire.
    """

    tenant_id: TenantId
    actor: str
    scopes: frozenset[str]
    space_ids: frozenset[SpaceId] | None = None
    expires_at: datetime | None = None

    def may_open_space(self, space_id: SpaceId) -> bool:
        """Return whether the key may open that space, provided that the tenant owns it."""
        return self.space_ids is None or space_id in self.space_ids


class KeyAndToken(NamedTuple):
    """A new key, and its token, which is shown only once."""

    key: ApiKey
    token: NewToken


def create_key(
    tenant: TenantSession,
    *,
    name: str,
    scopes: Sequence[str],
    actor: str,
    space_ids: Sequence[SpaceId] | None = None,
    expires_at: datetime | None = None,
    granted_by: Caller | None = None,
) -> KeyAndToken:
    """Create a key; return it with its token, which is shown only this once. Raises InvalidInput for an
    unknown scope.

    A key that is `granted_by` another may do no more than that one and may not expire later: raises
    ScopeMissing and InvalidInput. None means the operator, who may grant everything.
    """
    unknown_scopes = sorted(set(scopes) - set(SCOPES))
    if unknown_scopes or not scopes:
        raise InvalidInput(f"Scopes are {', '.join(SCOPES)}; at least one is needed.", code="unknown_scope")
    if granted_by is not None:
        expires_at = _check_grant_and_limit_expiry(granted_by, scopes, space_ids, expires_at)
    token = create_token()
    key = ApiKey(
        id=create_id(),
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
        other_targets=space_ids or (),
        details={"scopes": key.scopes, "expires": expires_at is not None},
    )
    return KeyAndToken(key, token)


def _check_grant_and_limit_expiry(
    granter: Caller,
    scopes: Sequence[str],
    space_ids: Sequence[SpaceId] | None,
    expires_at: datetime | None,
) -> datetime | None:
    """Return when a key that this caller creates expires. Raises if it could do more than the caller's own
    key, or would outlive it.

    Otherwise somebody who obtained a key could keep or extend its access by creating another.
    """
    lacking_scopes = [scope for scope in SCOPES if scope in set(scopes) - granter.scopes]
    if lacking_scopes:
        raise ScopeMissing(
            f"A key can grant only scopes that it has; this one lacks {', '.join(lacking_scopes)}."
        )
    if granter.space_ids is not None and not (space_ids and set(space_ids) <= granter.space_ids):
        raise ScopeMissing("A key grants only spaces that it reaches itself.")
    if granter.expires_at is None or expires_at is None:
        return expires_at or granter.expires_at
    if expires_at > granter.expires_at:
        raise InvalidInput("A key cannot expire later than the one that makes it.", code="expires_too_late")
    return expires_at


def revoke_key(tenant: TenantSession, api_key_id: ApiKeyId, *, actor: str) -> None:
    """Revoke a key at once. Raises NotFound if it is unknown or already revoked."""
    if not repository.revoke_key(tenant, api_key_id):
        raise NotFound("API key")
    audit.record(tenant, "key.revoke", actor=actor, target=api_key_id)


def authenticate_key_and_record_use(platform: PlatformSession, token: str) -> Caller:
    """Return the caller that a token identifies.

    Raises Unauthenticated, with the same message for every reason (docs/reliability.md, bad input 56).
    """
    key_id, secret = parse_token(token) or ("", "")
    key = repository.find_key(platform, key_id)
    is_match = hmac.compare_digest(hash_secret(secret), key.secret_hash if key else _HASH_OF_NO_SECRET)
    if key is None or not is_match or not _is_valid_key(key, datetime.now(UTC)):
        raise Unauthenticated
    repository.record_key_use(platform, ApiKeyId(key.id))
    return _build_caller_of_key(key)


def find_valid_callers_by_public_id(platform: PlatformSession, key_ids: Collection[str]) -> dict[str, Caller]:
    """Return the callers of keys authenticated earlier, by public id; without keys that are no longer
    valid.
    """
    now = datetime.now(UTC)
    return {
        key.key_id: _build_caller_of_key(key)
        for key in repository.find_keys(platform, key_ids)
        if _is_valid_key(key, now)
    }


def get_row_id_of_key(platform: PlatformSession, key_id: str) -> ApiKeyId:
    """Return the id of the key with this public id. Raises NotFound."""
    key = repository.find_key(platform, key_id)
    if key is None:
        raise NotFound("API key")
    return ApiKeyId(key.id)


def _is_valid_key(key: ApiKey, now: datetime) -> bool:
    return key.revoked_at is None and (key.expires_at is None or key.expires_at > now)


def _build_caller_of_key(key: ApiKey) -> Caller:
    space_ids = None if key.space_ids is None else frozenset(SpaceId(space_id) for space_id in key.space_ids)
    return Caller(TenantId(key.tenant_id), key.key_id, frozenset(key.scopes), space_ids, key.expires_at)
