"""Rules of members: their invitations and roles in a tenant. Signing in is in `sign_in`."""

import secrets
from datetime import UTC, datetime, timedelta
from uuid import UUID

from app.db.models import SignInLink
from app.db.session import OpenSession, TenantSession
from app.errors import Conflict, InvalidInput, NotFound
from app.ids import TenantId, create_id
from app.tenancy.accounts import repository
from app.tenancy.accounts.roles import Role
from app.tenancy.accounts.shapes import FIRST_LINK_LIFE, INVITATION_LIFE, Invitation, Member
from app.tenancy.audit import service as audit
from app.tenancy.tenants.api_key_token import hash_secret


def create_operator_link_token(tenant: TenantSession, *, email: str, actor: str) -> str:
    """Return the token of a link with which an operator signs in once, as an admin of this tenant."""
    return _add_link_and_create_token(
        tenant, email, Role.ADMIN, actor, lifetime=FIRST_LINK_LIFE, is_operator=True
    )


def create_invitation_link_token(tenant: TenantSession, *, email: str, role: Role, actor: str) -> str:
    """Return the token of a link with which a person becomes a member of this tenant."""
    return _add_link_and_create_token(tenant, email, role, actor, lifetime=INVITATION_LIFE, is_operator=False)


def _add_link_and_create_token(
    tenant: TenantSession, email: str, role: Role, actor: str, *, lifetime: timedelta, is_operator: bool
) -> str:
    token = secrets.token_urlsafe(32)
    link = SignInLink(
        id=create_id(),
        tenant_id=tenant.tenant_id,
        token_hash=hash_secret(token),
        email=_validate_and_normalise_email(email),
        role=role,
        is_operator=is_operator,
        invited_by=actor,
        expires_at=datetime.now(UTC) + lifetime,
    )
    repository.add_row(tenant, link)
    audit.record(tenant, "member.invite", actor=actor, target=link.id, details={"role": role.value})
    return token


def list_members(tenant: TenantSession, *, limit: int = 500) -> list[Member]:
    """Return the members of the tenant in the order of their addresses."""
    return [
        Member(account.id, account.email, Role(account.role), account.last_signed_in_at, account.is_operator)
        for account in repository.list_members(tenant, limit=limit)
    ]


def list_invitations(tenant: TenantSession, *, limit: int = 200) -> list[Invitation]:
    """Return the open invitations to the tenant, newest first."""
    return [
        Invitation(
            invitation.id,
            invitation.email,
            Role(invitation.role),
            invitation.invited_by,
            invitation.expires_at,
        )
        for invitation in repository.list_open_invitations(tenant, datetime.now(UTC), limit=limit)
    ]


def withdraw_invitation(tenant: TenantSession, link_id: UUID, *, actor: str) -> None:
    """End an open invitation. Raises NotFound."""
    if not repository.delete_unused_invitation(tenant, link_id):
        raise NotFound("invitation")
    audit.record(tenant, "member.uninvite", actor=actor, target=link_id)


def change_role_or_remove_member(
    tenant: TenantSession, account_id: UUID, role: Role | None, *, actor: str
) -> None:
    """Change the role of a member, or remove the member if `role` is None.

    Raises NotFound, and Conflict for the last admin.
    """
    lock_admins_and_check_one_remains(tenant, tenant.tenant_id, account_id, role)
    account = repository.get_account(tenant, account_id)
    if account is None:
        raise NotFound("member")
    if role is None:
        repository.delete_account(tenant, account)
    else:
        account.role = role
    if role is None:
        audit.record(tenant, "member.remove", actor=actor, target=account_id)
    else:
        audit.record(tenant, "member.role", actor=actor, target=account_id, details={"role": role.value})


def lock_admins_and_check_one_remains(
    session: OpenSession, tenant_id: TenantId, account_id: UUID, role: Role | None
) -> None:
    """Raise Conflict if the tenant had no admin once this member had that role, or none.

    The tenant's admins are locked until the transaction ends.
    """
    admin_ids = repository.lock_admin_accounts(session, tenant_id)
    if role is not Role.ADMIN and list(admin_ids) == [account_id]:
        raise Conflict("A tenant keeps at least one admin.", code="last_admin")


def _validate_and_normalise_email(email: str) -> str:
    email = email.strip().lower()
    name, _, host = email.partition("@")
    if not name or not host or len(email) > 254 or any(character.isspace() for character in email):
        raise InvalidInput("That is no e-mail address.", code="bad_email")
    return email
