"""People who sign in to the dashboard: accounts, sessions and single-use links, walled by tenant."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import (
    Boolean,
    CheckConstraint,
    ForeignKey,
    Index,
    Integer,
    Text,
    UniqueConstraint,
    func,
    text,
)
from sqlalchemy.orm import Mapped, mapped_column

from app.db.base import Base, build_created_at_column, build_tenant_and_space_foreign_key

_ROLE = "role IN ('viewer', 'editor', 'admin')"


class Account(Base):
    """A member of one tenant who signs in; only a hash of the password is stored."""

    __tablename__ = "account"
    __table_args__ = (
        UniqueConstraint("tenant_id", "email"),
        Index(None, "email"),
        CheckConstraint(_ROLE, name="role_known"),
        {"comment": "Members of a tenant who sign in to the dashboard. Walled by app.tenant_id."},
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, comment="uuid v7, made by the application.")
    tenant_id: Mapped[UUID] = mapped_column(
        ForeignKey("tenant.id", ondelete="CASCADE"), comment="The tenant whose member it is."
    )
    email: Mapped[str] = mapped_column(Text, comment="In lower case; accounts are looked up by it.")
    role: Mapped[str] = mapped_column(Text, comment="viewer reads, editor also changes, admin also governs.")
    password_hash: Mapped[str | None] = mapped_column(
        Text, comment="Argon2id with its parameters; null where only links sign in."
    )
    is_operator: Mapped[bool] = mapped_column(
        Boolean, server_default=text("false"), comment="May see the pages of the whole installation."
    )
    failed_attempts: Mapped[int] = mapped_column(
        Integer, server_default="0", comment="Wrong passwords since the last right one."
    )
    locked_until: Mapped[datetime | None] = mapped_column(
        comment="Until then no password is compared, right or wrong."
    )
    last_signed_in_at: Mapped[datetime | None] = mapped_column(comment="When it last signed in.")
    created_at: Mapped[datetime] = build_created_at_column()


class DashboardSession(Base):
    """A signed-in browser; only a hash of the cookie's token is stored."""

    __tablename__ = "dashboard_session"
    __table_args__ = (
        UniqueConstraint("token_hash"),
        CheckConstraint("num_nonnulls(account_id, api_key_id) >= 1", name="has_bearer"),
        Index(None, "tenant_id"),
        Index(None, "account_id"),
        Index(None, "api_key_id"),
        {"comment": "Browsers that are signed in, by account or by API key. Walled by app.tenant_id."},
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, comment="uuid v7, made by the application.")
    tenant_id: Mapped[UUID] = mapped_column(
        ForeignKey("tenant.id", ondelete="CASCADE"), comment="The tenant that it is signed in to."
    )
    token_hash: Mapped[str] = mapped_column(Text, comment="SHA-256 of the cookie's 256 random bits.")
    account_id: Mapped[UUID | None] = mapped_column(
        ForeignKey("account.id", ondelete="CASCADE"), comment="Who signed in."
    )
    api_key_id: Mapped[UUID | None] = mapped_column(
        ForeignKey("api_key.id", ondelete="CASCADE"), comment="Or the key that did."
    )
    last_seen_at: Mapped[datetime] = mapped_column(
        server_default=func.now(), comment="Last request, written at most once a minute."
    )
    expires_at: Mapped[datetime] = mapped_column(comment="When it ends however much it is used.")
    created_at: Mapped[datetime] = build_created_at_column()


class SignInLink(Base):
    """A link that signs in once: an operator's first sign-in, or an invitation."""

    __tablename__ = "sign_in_link"
    __table_args__ = (
        UniqueConstraint("token_hash"),
        CheckConstraint(_ROLE, name="role_known"),
        Index(None, "tenant_id"),
        {"comment": "Links that work once: invitations, and the first sign-in. Walled by app.tenant_id."},
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, comment="uuid v7, made by the application.")
    tenant_id: Mapped[UUID] = mapped_column(
        ForeignKey("tenant.id", ondelete="CASCADE"), comment="The tenant that it invites to."
    )
    token_hash: Mapped[str] = mapped_column(Text, comment="SHA-256 of the link's 256 random bits.")
    email: Mapped[str] = mapped_column(Text, comment="The account that it makes or signs in.")
    role: Mapped[str] = mapped_column(Text, comment="The role that the account gets in that tenant.")
    is_operator: Mapped[bool] = mapped_column(
        Boolean, server_default=text("false"), comment="Whether the account becomes an operator's."
    )
    invited_by: Mapped[str] = mapped_column(Text, comment="Who made it, as the audit log names them.")
    expires_at: Mapped[datetime] = mapped_column(comment="When it ends unused.")
    used_at: Mapped[datetime | None] = mapped_column(comment="When it was used.")
    created_at: Mapped[datetime] = build_created_at_column()


class AskedQuestion(Base):
    """A question asked on the dashboard, stored for the person who asked; answers are not stored."""

    __tablename__ = "asked_question"
    __table_args__ = (
        # One key for both, so that a tenant's row cannot name another tenant's space.
        build_tenant_and_space_foreign_key(),
        CheckConstraint("num_nonnulls(account_id, api_key_id) >= 1", name="has_bearer"),
        Index(None, "knowledge_space_id"),
        Index(None, "tenant_id", "asked_at"),
        Index(None, "account_id", "knowledge_space_id", "asked_at"),
        Index(None, "api_key_id", "knowledge_space_id", "asked_at"),
        {"comment": "Questions asked on the dashboard, for whoever asked them. Walled by app.tenant_id."},
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, comment="uuid v7, made by the application.")
    tenant_id: Mapped[UUID] = mapped_column(
        ForeignKey("tenant.id", ondelete="CASCADE"), comment="The tenant that owns the space."
    )
    knowledge_space_id: Mapped[UUID] = mapped_column(comment="The space that was asked.")
    account_id: Mapped[UUID | None] = mapped_column(
        ForeignKey("account.id", ondelete="CASCADE"), comment="Who asked."
    )
    api_key_id: Mapped[UUID | None] = mapped_column(
        ForeignKey("api_key.id", ondelete="CASCADE"), comment="Or the key that did."
    )
    question: Mapped[str] = mapped_column(Text, comment="The question as it was asked.")
    scope: Mapped[str] = mapped_column(Text, comment="local or global.")
    as_of: Mapped[datetime | None] = mapped_column(comment="The moment that was asked about.")
    asked_at: Mapped[datetime] = mapped_column(server_default=func.now(), comment="When it was asked last.")
