"""Rules about who signs in to the dashboard, and what they may do there."""

import secrets
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from uuid import UUID

from app.db.models import Account, DashboardSession, SignInLink
from app.db.session import Database, PlatformSession, TenantSession
from app.errors import Conflict, InvalidInput, NotFound, Unauthenticated, Unavailable
from app.ids import ApiKeyId, TenantId, new_id
from app.tenancy.accounts import passwords, repository
from app.tenancy.accounts.repository import delete_session as sign_out
from app.tenancy.accounts.shapes import (
    FIRST_LINK_LIFE,
    INVITATION_LIFE,
    SESSION_IDLE,
    SESSION_LIFE,
    Invitation,
    Member,
    OpenLink,
    Role,
    SignedIn,
    SignInRefused,
)
from app.tenancy.accounts.sign_in_delays import SignInDelays
from app.tenancy.audit import service as audit
from app.tenancy.audit.shapes import Outcome
from app.tenancy.tenants import api_keys
from app.tenancy.tenants.api_key_text import hash_secret
from app.tenancy.tenants.api_keys import Caller

__all__ = ["sign_out"]

_TOKEN_CHARACTERS = 43
# Of one address, in as many tenants; comparing a password takes its time.
_MOST_ACCOUNTS = 5


def has_token_form(text: str) -> bool:
    """Return whether the text has the form of a session's or a link's token."""
    return len(text) == _TOKEN_CHARACTERS and text.isascii()


def sign_in(database: Database, delays: SignInDelays, email: str, password: str, *, address: str) -> str:
    """The token of a new session. Raises SignInRefused, alike for every reason and in like time, and
    TooManyFailures for an address that has guessed wrong too often.

    Who has accounts in several tenants signs in to the one used last of those with that password. Passwords
    are compared between two transactions: nobody waits for a lock while that takes its time.
    """
    delays.check_not_delayed(email, address)
    now = datetime.now(UTC)
    with database.open_platform() as platform:
        accounts = [
            (account.id, TenantId(account.tenant_id), account.password_hash)
            for account in repository.find_accounts_by_email(
                platform, email.strip().lower(), limit=_MOST_ACCOUNTS
            )
        ]
    right = next(
        (account for account in accounts if passwords.password_matches_hash(password, account[2])), None
    )
    if right is None:
        if not accounts:
            passwords.password_matches_hash(password, None)
        delays.note_failure(email, address)
        with database.open_platform() as platform:
            for account_id, tenant_id, _ in accounts:
                _record_account_event(
                    platform, email, "account.sign_in_refused", tenant_id, account_id, Outcome.REFUSED
                )
        # After the transaction, which keeps the record.
        raise SignInRefused
    delays.clear_failures(email, address)
    account_id, tenant_id, stored_hash = right
    renewed = _rehash_if_outdated(password, stored_hash)
    with database.open_platform() as platform:
        repository.record_sign_in(platform, account_id)
        if renewed is not None:
            repository.replace_password_hash(platform, account_id, before=stored_hash, after=renewed)
        _record_account_event(platform, email, "account.sign_in", tenant_id, account_id)
        return _begin_session(platform, tenant_id, now, account_id=account_id)


def sign_in_with_key(platform: PlatformSession, api_token: str) -> str:
    """The token of a new session that may do what the API key may. Raises SignInRefused."""
    try:
        caller = api_keys.authenticate(platform, api_token)
    except Unauthenticated:
        raise SignInRefused from None
    key_id = api_keys.get_key_id(platform, caller.actor)
    audit.record_platform(
        platform, "key.sign_in", tenant_id=caller.tenant_id, actor=caller.actor, target=key_id
    )
    return _begin_session(platform, caller.tenant_id, datetime.now(UTC), api_key_id=key_id)


def create_operator_link(tenant: TenantSession, *, email: str, actor: str) -> str:
    """The token of a link by which an operator signs in once, as an admin of this tenant."""
    return _add_link(tenant, email, Role.ADMIN, actor, life=FIRST_LINK_LIFE, is_operator=True)


def create_invitation_link(tenant: TenantSession, *, email: str, role: Role, actor: str) -> str:
    """The token of a link by which somebody becomes a member of this tenant."""
    return _add_link(tenant, email, role, actor, life=INVITATION_LIFE, is_operator=False)


def _add_link(
    tenant: TenantSession, email: str, role: Role, actor: str, *, life: timedelta, is_operator: bool
) -> str:
    token = secrets.token_urlsafe(32)
    link = SignInLink(
        id=new_id(),
        tenant_id=tenant.tenant_id,
        token_hash=hash_secret(token),
        email=_checked_email(email),
        role=role,
        is_operator=is_operator,
        invited_by=actor,
        expires_at=datetime.now(UTC) + life,
    )
    repository.add_row(tenant, link)
    audit.record(tenant, "member.invite", actor=actor, target=link.id, details={"role": role.value})
    return token


def get_open_link(platform: PlatformSession, token: str) -> OpenLink:
    """The link of this token. Raises SignInRefused for one that is unknown, used or past its end."""
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


def sign_in_with_link(database: Database, token: str, password: str | None) -> str:
    """The token of a new session; who has no account gets one with this password. Raises SignInRefused.

    An invitation to somebody who is a member already gives them the role, and asks for their own password.
    An operator's link, which only the machine itself has shown, asks for none.
    """
    now = datetime.now(UTC)
    with database.open_platform() as platform:
        link = get_open_link(platform, token)
    hashed = None
    if not link.is_operator:
        if link.is_new:
            hashed = passwords.hash_password(password or "")
        elif not passwords.password_matches_hash(password or "", link.password_hash):
            raise SignInRefused
    with database.open_platform() as platform:
        if repository.mark_link_used(platform, hash_secret(token), now) is None:
            raise SignInRefused
        account = repository.lock_account_by_email(platform, link.tenant_id, link.email)
        if account is None:
            account = Account(
                id=new_id(),
                tenant_id=link.tenant_id,
                email=link.email,
                role=link.role,
                password_hash=hashed,
                is_operator=link.is_operator,
            )
            repository.add_row(platform, account)
        account.role = link.role
        account.is_operator = account.is_operator or link.is_operator
        repository.record_sign_in(platform, account.id)
        _record_account_event(platform, link.email, "member.join", link.tenant_id, account.id)
        return _begin_session(platform, link.tenant_id, now, account_id=account.id)


def authenticate_session(platform: PlatformSession, token: str) -> SignedIn:
    """Who is signed in by this token. Raises Unauthenticated, alike for every reason."""
    session_row = repository.find_session(platform, hash_secret(token))
    now = datetime.now(UTC)
    if session_row is None:
        raise Unauthenticated
    session, account, key = session_row
    ends = min(session.expires_at, session.last_seen_at + SESSION_IDLE)
    if ends <= now:
        raise Unauthenticated
    repository.touch_session(platform, session.id)
    tenant_id = TenantId(session.tenant_id)
    if account is not None:
        caller = Caller(tenant_id, account.email, Role(account.role).scopes, None, ends)
        return SignedIn(session.id, account.email, account.is_operator, {tenant_id: caller}, ends, account.id)
    by_key = api_keys.valid_callers(platform, [key.key_id]).get(key.key_id) if key is not None else None
    if by_key is None:
        raise Unauthenticated
    return SignedIn(session.id, by_key.actor, False, {tenant_id: by_key}, by_key.expires_at or ends)


def list_members(tenant: TenantSession) -> list[Member]:
    """The members of the tenant by their addresses."""
    return [
        Member(account.id, account.email, Role(account.role), account.last_signed_in_at, account.is_operator)
        for account in repository.list_members(tenant)
    ]


def list_invitations(tenant: TenantSession) -> list[Invitation]:
    """The open invitations to the tenant, newest first."""
    return [
        Invitation(
            invitation.id,
            invitation.email,
            Role(invitation.role),
            invitation.invited_by,
            invitation.expires_at,
        )
        for invitation in repository.list_open_invitations(tenant, datetime.now(UTC))
    ]


def withdraw_invitation(tenant: TenantSession, link_id: UUID, *, actor: str) -> None:
    """End an open invitation. Raises NotFound."""
    if not repository.delete_invitation(tenant, link_id):
        raise NotFound("invitation")
    audit.record(tenant, "member.uninvite", actor=actor, target=link_id)


def change_role(tenant: TenantSession, account_id: UUID, role: Role | None, *, actor: str) -> None:
    """Give a member another role, or with None take them out.

    Raises NotFound; Conflict for the last admin.
    """
    admins = repository.lock_admin_accounts(tenant)
    account = repository.get_account(tenant, account_id)
    if account is None:
        raise NotFound("member")
    if role is not Role.ADMIN and list(admins) == [account_id]:
        raise Conflict("A tenant keeps at least one admin.", code="last_admin")
    if role is None:
        repository.delete_account(tenant, account)
    else:
        account.role = role
    if role is None:
        audit.record(tenant, "member.remove", actor=actor, target=account_id)
    else:
        audit.record(tenant, "member.role", actor=actor, target=account_id, details={"role": role.value})


def has_password(tenant: TenantSession, account_id: UUID) -> bool:
    """Return whether the account has a password; an operator who signs in by links may have none."""
    account = repository.get_account(tenant, account_id)
    return account is not None and account.password_hash is not None


def change_password(
    database: Database, delays: SignInDelays, visitor: SignedIn, old: str | None, new: str, *, address: str
) -> None:
    """Store a new password and end all the account's sessions.

    `old` is the present password, which an account without one does not need. Raises SignInRefused for a
    wrong one and for a visitor without an account, TooManyFailures for an address that has guessed wrong too
    often, and InvalidInput for a new password of a length that is not allowed.
    """
    tenant_id = next(iter(visitor.callers))
    delays.check_not_delayed(visitor.actor, address)
    with database.open_platform() as platform:
        account = repository.lock_account_by_email(platform, tenant_id, visitor.actor)
        stored_hash = account.password_hash if account is not None else None
    if account is None or (
        stored_hash is not None and not passwords.password_matches_hash(old or "", stored_hash)
    ):
        delays.note_failure(visitor.actor, address)
        raise SignInRefused
    delays.clear_failures(visitor.actor, address)
    hashed = passwords.hash_password(new)
    with database.open_platform() as platform:
        repository.set_password(platform, account.id, hashed)
        _record_account_event(platform, visitor.actor, "account.password", tenant_id, account.id)


def _rehash_if_outdated(password: str, stored_hash: str | None) -> str | None:
    """A hash of today's parameters where the stored one has others; None also while there is no room."""
    if stored_hash is None or not passwords.hash_is_outdated(stored_hash):
        return None
    with suppress(Unavailable, InvalidInput):
        return passwords.hash_password(password)
    return None


def _checked_email(email: str) -> str:
    email = email.strip().lower()
    name, _, host = email.partition("@")
    if not name or not host or len(email) > 254 or any(character.isspace() for character in email):
        raise InvalidInput("That is no e-mail address.", code="bad_email")
    return email


def _record_account_event(
    platform: PlatformSession,
    actor: str,
    action: str,
    tenant_id: TenantId,
    account_id: UUID,
    outcome: Outcome = Outcome.DONE,
) -> None:
    audit.record_platform(
        platform, action, tenant_id=tenant_id, actor=actor, target=account_id, outcome=outcome
    )


def _begin_session(
    platform: PlatformSession,
    tenant_id: TenantId,
    now: datetime,
    *,
    account_id: UUID | None = None,
    api_key_id: ApiKeyId | None = None,
) -> str:
    token = secrets.token_urlsafe(32)
    session = DashboardSession(
        id=new_id(),
        tenant_id=tenant_id,
        token_hash=hash_secret(token),
        account_id=account_id,
        api_key_id=api_key_id,
        expires_at=now + SESSION_LIFE,
    )
    repository.add_row(platform, session)
    return token
