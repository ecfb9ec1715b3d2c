"""Reads and writes of accounts, their sessions and links."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy import ColumnElement, Row, delete, func, select, update

from app.db.models import Account, ApiKey, DashboardSession, SignInLink
from app.db.session import OpenSession, PlatformSession, TenantSession
from app.ids import TenantId


def find_accounts_by_email(platform: PlatformSession, email: str, *, limit: int) -> Sequence[Account]:
    """Return the accounts with that address, one per tenant, the most recently used first."""
    query = (
        select(Account)
        .where(Account.email == email)
        .order_by(Account.last_signed_in_at.desc().nulls_last(), Account.id)
        .limit(limit)
    )
    return platform.orm.scalars(query).all()


def lock_account_by_email(platform: PlatformSession, tenant_id: TenantId, email: str) -> Account | None:
    """Return the tenant's account with that address, locked until the transaction ends."""
    query = select(Account).where(Account.tenant_id == tenant_id, Account.email == email)
    return platform.orm.scalar(query.with_for_update())


def add_row(session: PlatformSession | TenantSession, row: Account | DashboardSession | SignInLink) -> None:
    """Store a new row."""
    session.orm.add(row)
    session.orm.flush()


def record_sign_in(platform: PlatformSession, account_id: UUID) -> None:
    """Record that the account has signed in."""
    platform.orm.execute(update(Account).where(Account.id == account_id).values(last_signed_in_at=func.now()))


def replace_password_hash(
    platform: PlatformSession, account_id: UUID, *, old_hash: str | None, new_hash: str
) -> None:
    """Store another hash of the same password, unless the password was changed in the meantime."""
    platform.orm.execute(
        update(Account)
        .where(Account.id == account_id, Account.password_hash == old_hash)
        .values(password_hash=new_hash)
    )


def set_password_and_end_sessions(platform: PlatformSession, account_id: UUID, password_hash: str) -> None:
    """Store the hash of a new password, and end all sessions of the account."""
    platform.orm.execute(update(Account).where(Account.id == account_id).values(password_hash=password_hash))
    platform.orm.execute(delete(DashboardSession).where(DashboardSession.account_id == account_id))


def find_session_with_account_and_key(
    platform: PlatformSession, token_hash: str
) -> Row[DashboardSession, Account | None, ApiKey | None] | None:
    """Return the session of that token, with its account or its key."""
    return platform.orm.execute(
        select(DashboardSession, Account, ApiKey)
        .outerjoin(Account, Account.id == DashboardSession.account_id)
        .outerjoin(ApiKey, ApiKey.id == DashboardSession.api_key_id)
        .where(DashboardSession.token_hash == token_hash)
    ).first()


def record_session_use(platform: PlatformSession, session_id: UUID) -> None:
    """Record that the session was used, at most once a minute."""
    platform.orm.execute(
        update(DashboardSession)
        .where(
            DashboardSession.id == session_id,
            DashboardSession.last_seen_at < func.now() - timedelta(minutes=1),
        )
        .values(last_seen_at=func.now())
    )


def delete_session_and_expired_ones(platform: PlatformSession, session_id: UUID) -> None:
    """End a session, and remove expired ones."""
    platform.orm.execute(delete(DashboardSession).where(DashboardSession.id == session_id))
    platform.orm.execute(delete(DashboardSession).where(DashboardSession.expires_at < func.now()))


def find_open_link(platform: PlatformSession, token_hash: str, now: datetime) -> SignInLink | None:
    """Return the link if it can still be used, otherwise None."""
    return platform.orm.scalar(select(SignInLink).where(*_build_open_link_conditions(token_hash, now)))


def mark_link_used(platform: PlatformSession, token_hash: str, now: datetime) -> SignInLink | None:
    """Mark the link as used and return it; None if it is unknown, used or expired."""
    return platform.orm.scalar(
        update(SignInLink)
        .where(*_build_open_link_conditions(token_hash, now))
        .values(used_at=now)
        .returning(SignInLink)
    )


def _build_open_link_conditions(token_hash: str, now: datetime) -> tuple[ColumnElement[bool], ...]:
    return (
        SignInLink.token_hash == token_hash,
        SignInLink.used_at.is_(None),
        SignInLink.expires_at > now,
    )


def list_open_invitations(tenant: TenantSession, now: datetime, *, limit: int) -> Sequence[SignInLink]:
    """Return the tenant's open invitations, newest first."""
    query = select(SignInLink).where(
        SignInLink.tenant_id == tenant.tenant_id, SignInLink.used_at.is_(None), SignInLink.expires_at > now
    )
    return tenant.orm.scalars(query.order_by(SignInLink.id.desc()).limit(limit)).all()


def delete_unused_invitation(tenant: TenantSession, link_id: UUID) -> bool:
    """Withdraw an open invitation; return False if there is none."""
    deleted_rows = tenant.orm.execute(
        delete(SignInLink)
        .where(
            SignInLink.tenant_id == tenant.tenant_id, SignInLink.id == link_id, SignInLink.used_at.is_(None)
        )
        .returning(SignInLink.id)
    )
    return deleted_rows.first() is not None


def list_members(tenant: TenantSession, *, limit: int) -> Sequence[Account]:
    """Return the tenant's accounts in the order of their addresses."""
    query = select(Account).where(Account.tenant_id == tenant.tenant_id).order_by(Account.email).limit(limit)
    return tenant.orm.scalars(query).all()


def lock_admin_accounts(session: OpenSession, tenant_id: TenantId) -> Sequence[UUID]:
    """Return the ids of the tenant's admins, locked, so that whether one is left cannot change meanwhile."""
    query = (
        select(Account.id)
        .where(Account.tenant_id == tenant_id, Account.role == "admin")
        .order_by(Account.id)
        .with_for_update()
    )
    return session.orm.scalars(query).all()


def get_account(tenant: TenantSession, account_id: UUID) -> Account | None:
    """Return the tenant's account with that id, or None."""
    query = select(Account).where(Account.tenant_id == tenant.tenant_id, Account.id == account_id)
    return tenant.orm.scalar(query)


def delete_account(tenant: TenantSession, account: Account) -> None:
    """Delete the account with its sessions."""
    tenant.orm.delete(account)
    tenant.orm.flush()
