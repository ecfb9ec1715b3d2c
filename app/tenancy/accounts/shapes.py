"""Values of accounts: the person who is signed in, members and invitations."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NewType
from uuid import UUID

from app.errors import CitegraphError
from app.ids import TenantId
from app.tenancy.accounts.roles import Role
from app.tenancy.tenants.api_keys import Caller

SessionToken = NewType("SessionToken", str)
"""The secret with which a browser proves that it is signed in; only its hash is stored."""
SESSION_LIFE = timedelta(days=14)
"""Maximum age of a session, however much it is used."""
SESSION_IDLE_TIMEOUT = timedelta(hours=12)
"""Maximum time without a request, after which a session ends."""
INVITATION_LIFE = timedelta(days=7)
FIRST_LINK_LIFE = timedelta(hours=1)


class SignInRefused(CitegraphError):
    """The address, the password, the key or the link does not sign in: one message for every reason."""

    code = "sign_in_refused"

    def __init__(self) -> None:
        super().__init__(
            "That did not sign you in. Check what you typed; after several wrong passwords there is a wait,"
            " which grows with each."
        )


@dataclass(frozen=True)
class SignedIn:
    """The person who is signed in: `callers` has the permissions in each of the person's tenants, by its
    id.
    """

    session_id: UUID
    actor: str
    is_operator: bool
    callers: Mapping[TenantId, Caller]
    expires_at: datetime | None
    account_id: UUID | None = None


@dataclass(frozen=True)
class OpenLink:
    """A link that can still be used; `is_new` means that its address has no account in the tenant yet."""

    tenant_id: TenantId
    email: str
    role: Role
    is_operator: bool
    invited_by: str
    is_new: bool
    password_hash: str | None


@dataclass(frozen=True)
class Member:
    """An account with its role in one tenant."""

    account_id: UUID
    email: str
    role: Role
    last_signed_in_at: datetime | None
    is_operator: bool = False


@dataclass(frozen=True)
class Invitation:
    """A link that invites somebody to a tenant and has not been used yet."""

    id: UUID
    email: str
    role: Role
    invited_by: str
    expires_at: datetime
