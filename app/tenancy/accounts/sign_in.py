"""Rules of signing in to the dashboard: with a password, a link or an API key; sessions; and passwords."""

import secrets
from contextlib import suppress
from datetime import UTC, datetime
from typing import NamedTuple
from uuid import UUID

from app.db.database import Database
from app.db.models import Account, DashboardSession
from app.db.session import PlatformSession, TenantSession
from app.errors import InvalidInput, Unauthenticated, Unavailable
from app.ids import ApiKeyId, TenantId, create_id
from app.tenancy.accounts import passwords, repository
from app.tenancy.accounts.repository import delete_session_and_expired_ones
from app.tenancy.accounts.roles import Role
from app.tenancy.accounts.service import lock_admins_and_check_one_remains
from app.tenancy.accounts.shapes import (
    SESSION_IDLE_TIMEOUT,
    SESSION_LIFE,
    OpenLink,
    SessionToken,
    SignedIn,
    SignInRefused,
)
from app.tenancy.accounts.sign_in_delays import SignInDelays
from app.tenancy.audit import service as audit
from app.tenancy.audit.shapes import Outcome
from app.tenancy.tenants import api_keys
from app.tenancy.tenants.api_key_token import hash_secret
from app.tenancy.tenants.api_keys import Caller

__all__ = ["delete_session_and_expired_ones"]

_TOKEN_LENGTH = 43
# The maximum number of accounts with one address, in different tenants: verifying each password takes time.
_MAX_ACCOUNTS = 5


class _AccountWithHash(NamedTuple):
    """An account with the given address, and the hash of its password."""

    account_id: UUID
    tenant_id: TenantId
    password_hash: str | None


def looks_like_token(text: str) -> bool:
    """Return whether the text has the form of a session's or a link's token."""
    return len(text) == _TOKEN_LENGTH and text.isascii()


def sign_in(
    database: Database, delays: SignInDelays, email: str, password: str, *, client_address: str
) -> SessionToken:
    """Sign in with a password; return the token of a new session.

    Of several accounts with that address and password, the most recently used one is signed in. Passwords are
    verified between two transactions, so that nobody waits for a lock during that time.
    Raises SignInRefused, with the same message and after a similar time for every reason, and TooManyFailures
    for an address that has failed too often.
    """
    delays.check_not_delayed(email, client_address)
    now = datetime.now(UTC)
    with database.open_platform() as platform:
        accounts = [
            _AccountWithHash(account.id, TenantId(account.tenant_id), account.password_hash)
            for account in repository.find_accounts_by_email(
                platform, email.strip().lower(), limit=_MAX_ACCOUNTS
            )
        ]
    matching_account = next(
        (
            account
            for account in accounts
            if passwords.does_password_match_hash(password, account.password_hash)
        ),
        None,
    )
    if matching_account is None:
        if not accounts:
            passwords.does_password_match_hash(password, None)
        delays.count_failure(email, client_address)
        with database.open_platform() as platform:
            for account_id, tenant_id, _ in accounts:
                _record_account_event(
                    platform, email, "account.sign_in_refused", tenant_id, account_id, Outcome.REFUSED
                )
        # After the transaction, which keeps the record.
        raise SignInRefused
    delays.clear_failures(email, client_address)
    account_id, tenant_id, stored_hash = matching_account
    renewed_hash = _compute_new_hash_if_outdated(password, stored_hash)
    with database.open_platform() as platform:
        repository.record_sign_in(platform, account_id)
        if renewed_hash is not None:
            repository.replace_password_hash(
                platform, account_id, old_hash=stored_hash, new_hash=renewed_hash
            )
        _record_account_event(platform, email, "account.sign_in", tenant_id, account_id)
        return _begin_session(platform, tenant_id, now, account_id=account_id)


def sign_in_with_key(platform: PlatformSession, api_token: str) -> SessionToken:
    """Sign in with the rights of an API key; return the token of a new session. Raises SignInRefused."""
    try:
        caller = api_keys.authenticate_key_and_record_use(platform, api_token)
    except Unauthenticated:
        raise SignInRefused from None
    key_id = api_keys.get_row_id_of_key(platform, caller.actor)
    audit.record_platform_action(
        platform, "key.sign_in", tenant_id=caller.tenant_id, actor=caller.actor, target=key_id
    )
    return _begin_session(platform, caller.tenant_id, datetime.now(UTC), api_key_id=key_id)


def get_open_link_and_lock_account(platform: PlatformSession, token: str) -> OpenLink:
    """Return the link of this token. Raises SignInRefused if it is unknown, used or expired."""
    link = repository.find_open_link(platform, hash_secret(token), datetime.now(UTC))
    if link is None:
        raise SignInRefused
    tenant_id = TenantId(link.tenant_id)
    account = repository.lock_account_by_email(platform, tenant_id, link.email)
    return OpenLink(
        tenant_id=tenant_id,
        email=link.email,
        role=Role(link.role),
        is_operator=link.is_operator,
        invited_by=link.invited_by,
        is_new=account is None,
        password_hash=None if account is None else account.password_hash,
    )


def sign_in_or_join_with_link(database: Database, token: str, password: str | None) -> SessionToken:
    """Sign in with a link; return the token of a new session.

    Raises SignInRefused, and Conflict if the link would leave the tenant without an admin. A new member gets
    an account with this password. An existing member gets the role of the invitation, and must give the
    account's own password. An operator's link, which is shown only on the server itself, needs no password.
    """
    now = datetime.now(UTC)
    with database.open_platform() as platform:
        link = get_open_link_and_lock_account(platform, token)
    password_hash = None
    if not link.is_operator:
        if link.is_new:
            password_hash = passwords.validate_and_hash_password(password or "")
        elif not passwords.does_password_match_hash(password or "", link.password_hash):
            raise SignInRefused
    with database.open_platform() as platform:
        if repository.mark_link_used(platform, hash_secret(token), now) is None:
            raise SignInRefused
        account = repository.lock_account_by_email(platform, link.tenant_id, link.email)
        if account is None:
            account = Account(
                id=create_id(),
                tenant_id=link.tenant_id,
                email=link.email,
                role=link.role,
                password_hash=password_hash,
                is_operator=link.is_operator,
            )
            repository.add_row(platform, account)
        lock_admins_and_check_one_remains(platform, link.tenant_id, account.id, link.role)
        account.role = link.role
        account.is_operator = account.is_operator or link.is_operator
        repository.record_sign_in(platform, account.id)
        _record_account_event(platform, link.email, "member.join", link.tenant_id, account.id)
        return _begin_session(platform, link.tenant_id, now, account_id=account.id)


def authenticate_session_and_record_use(platform: PlatformSession, token: str) -> SignedIn:
    """Return who is signed in by this token.

    Raises Unauthenticated, with the same message for every reason.
    """
    session_row = repository.find_session_with_account_and_key(platform, hash_secret(token))
    now = datetime.now(UTC)
    if session_row is None:
        raise Unauthenticated
    session, account, key = session_row
    expires_at = min(session.expires_at, session.last_seen_at + SESSION_IDLE_TIMEOUT)
    if expires_at <= now:
        raise Unauthenticated
    repository.record_session_use(platform, session.id)
    tenant_id = TenantId(session.tenant_id)
    if account is not None:
        caller = Caller(tenant_id, account.email, Role(account.role).scopes, None, expires_at)
        return SignedIn(
            session.id, account.email, account.is_operator, {tenant_id: caller}, expires_at, account.id
        )
    key_caller = (
        api_keys.find_valid_callers_by_public_id(platform, [key.key_id]).get(key.key_id)
        if key is not None
        else None
    )
    if key_caller is None:
        raise Unauthenticated
    return SignedIn(
        session.id, key_caller.actor, False, {tenant_id: key_caller}, key_caller.expires_at or expires_at
    )


def has_password(tenant: TenantSession, account_id: UUID) -> bool:
    """Return whether the account has a password; an operator who signs in by links may have none."""
    account = repository.get_account(tenant, account_id)
    return account is not None and account.password_hash is not None


def change_password(
    database: Database,
    delays: SignInDelays,
    visitor: SignedIn,
    old_password: str | None,
    new_password: str,
    *,
    client_address: str,
) -> None:
    """Store a new password and end all the account's sessions.

    `old_password` is the current password, if the account has one. Raises SignInRefused if it is wrong or the
    visitor has no account, TooManyFailures for an address that has failed too often, and InvalidInput if the
    length of the new password is not allowed.
    """
    tenant_id = next(iter(visitor.callers))
    delays.check_not_delayed(visitor.actor, client_address)
    with database.open_platform() as platform:
        account = repository.lock_account_by_email(platform, tenant_id, visitor.actor)
        stored_hash = account.password_hash if account is not None else None
    if account is None or (
        stored_hash is not None and not passwords.does_password_match_hash(old_password or "", stored_hash)
    ):
        delays.count_failure(visitor.actor, client_address)
        raise SignInRefused
    delays.clear_failures(visitor.actor, client_address)
    password_hash = passwords.validate_and_hash_password(new_password)
    with database.open_platform() as platform:
        repository.set_password_and_end_sessions(platform, account.id, password_hash)
        _record_account_event(platform, visitor.actor, "account.password", tenant_id, account.id)


def _compute_new_hash_if_outdated(password: str, stored_hash: str | None) -> str | None:
    """Return a new hash if the stored one has outdated parameters; None if not, or if no slot is free."""
    if stored_hash is None or not passwords.is_hash_outdated(stored_hash):
        return None
    with suppress(Unavailable, InvalidInput):
        return passwords.validate_and_hash_password(password)
    return None


def _record_account_event(
    platform: PlatformSession,
    actor: str,
    action: str,
    tenant_id: TenantId,
    account_id: UUID,
    outcome: Outcome = Outcome.DONE,
) -> None:
    audit.record_platform_action(
        platform, action, tenant_id=tenant_id, actor=actor, target=account_id, outcome=outcome
    )


def _begin_session(
    platform: PlatformSession,
    tenant_id: TenantId,
    now: datetime,
    *,
    account_id: UUID | None = None,
    api_key_id: ApiKeyId | None = None,
) -> SessionToken:
    token = SessionToken(secrets.token_urlsafe(32))
    session = DashboardSession(
        id=create_id(),
        tenant_id=tenant_id,
        token_hash=hash_secret(token),
        account_id=account_id,
        api_key_id=api_key_id,
        expires_at=now + SESSION_LIFE,
    )
    repository.add_row(platform, session)
    return token
