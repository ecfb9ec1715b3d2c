"""Tenants, their keys and spaces, usage and audit log: tables walled by tenant."""

from datetime import date, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from sqlalchemy import (
    ARRAY,
    BigInteger,
    Boolean,
    CheckConstraint,
    Date,
    ForeignKey,
    Index,
    Integer,
    Numeric,
    Text,
    UniqueConstraint,
    Uuid,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from app.db.base import (
    Base,
    build_created_at_column,
    build_tenant_and_space_foreign_key,
    build_updated_at_column,
)

EMPTY_OBJECT = text("'{}'::jsonb")


class Tenant(Base):
    """The customer: owns spaces, keys and quota; what is billed."""

    __tablename__ = "tenant"
    __table_args__ = (
        UniqueConstraint("name"),
        CheckConstraint("max_running_jobs BETWEEN 1 AND 1000", name="max_running_jobs_range"),
        Index("ix_tenant_closed_at", "closed_at", postgresql_where=text("closed_at IS NOT NULL")),
        {"comment": "The customer: owns knowledge spaces, API keys and quota. Walled by app.tenant_id."},
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, comment="uuid v7, made by the application.")
    name: Mapped[str] = mapped_column(Text, comment="Unique short name, shown to operators.")
    max_running_jobs: Mapped[int] = mapped_column(
        Integer, server_default="3", comment="How many of its jobs may run at once (requirement 5.5)."
    )
    last_claimed_at: Mapped[datetime | None] = mapped_column(
        comment="When a worker last claimed one of its jobs; the tenant that waited longest is served next."
    )
    settings: Mapped[dict[str, Any]] = mapped_column(
        JSONB, server_default=EMPTY_OBJECT, comment="Tenant-wide settings that override the platform's."
    )
    closed_at: Mapped[datetime | None] = mapped_column(
        comment="When its erasure was requested: from then on only the workers that remove its data find it."
    )
    created_at: Mapped[datetime] = build_created_at_column()
    updated_at: Mapped[datetime] = build_updated_at_column()

    @property
    def quotas(self) -> dict[str, int]:
        """The tenant's own quotas."""
        return dict((self.settings or {}).get("quotas", {}))


class ApiKey(Base):
    """A secret that lets its bearer act for one tenant; only its hash is stored."""

    __tablename__ = "api_key"
    __table_args__ = (
        UniqueConstraint("key_id"),
        Index(None, "tenant_id", "created_at"),
        {
            "comment": (
                "API keys: the SHA-256 of a random 256-bit secret, never the secret. Walled by app.tenant_id."
            )
        },
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, comment="uuid v7, made by the application.")
    tenant_id: Mapped[UUID] = mapped_column(
        ForeignKey("tenant.id", ondelete="CASCADE"), comment="The tenant for which the key acts."
    )
    key_id: Mapped[str] = mapped_column(Text, comment="The public part of the key, by which it is found.")
    secret_hash: Mapped[str] = mapped_column(Text, comment="SHA-256 of the secret part, as hexadecimal.")
    name: Mapped[str] = mapped_column(Text, comment="What the key is for, in its owner's words.")
    scopes: Mapped[list[str]] = mapped_column(ARRAY(Text), comment="What the key may do: read, write, admin.")
    space_ids: Mapped[list[UUID] | None] = mapped_column(
        ARRAY(Uuid()),
        comment="The spaces that the key may touch; null means every space of its tenant.",
    )
    expires_at: Mapped[datetime | None] = mapped_column(
        comment="When the key stops working; null means never."
    )
    revoked_at: Mapped[datetime | None] = mapped_column(comment="When the key was revoked.")
    last_used_at: Mapped[datetime | None] = mapped_column(comment="Last use, written at most once a minute.")
    created_at: Mapped[datetime] = build_created_at_column()


class KnowledgeSpace(Base):
    """One graph with its documents, owned by one tenant; nothing crosses it."""

    __tablename__ = "knowledge_space"
    __table_args__ = (
        UniqueConstraint("tenant_id", "name"),
        UniqueConstraint("tenant_id", "id"),
        {"comment": "Knowledge spaces: one directed labelled graph each. Walled by app.tenant_id."},
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, comment="uuid v7; every space-owned row carries it.")
    tenant_id: Mapped[UUID] = mapped_column(
        ForeignKey("tenant.id", ondelete="CASCADE"),
        comment="The owner: exactly one tenant (requirement 1.1).",
    )
    name: Mapped[str] = mapped_column(Text, comment="Unique within its tenant.")
    description: Mapped[str] = mapped_column(Text, server_default="", comment="What the space is about.")
    settings: Mapped[dict[str, Any]] = mapped_column(
        JSONB, server_default=EMPTY_OBJECT, comment="Space settings that override the platform's defaults."
    )
    embedding_model: Mapped[str] = mapped_column(
        Text, comment="The model that made every vector of the space."
    )
    embedding_dimensions: Mapped[int] = mapped_column(Integer, comment="Length of the space's vectors.")
    vector_set: Mapped[int] = mapped_column(
        Integer,
        server_default="0",
        comment="The set of vectors that searches compare with: those of embedding_model.",
    )
    newest_vector_set: Mapped[int] = mapped_column(
        Integer,
        server_default="0",
        comment="The number of the newest set of vectors, whether it was finished or not; the next set gets "
        "the next number.",
    )
    dedicated_vectors: Mapped[bool] = mapped_column(
        Boolean,
        server_default=text("false"),
        comment="Its vectors are in partitions of its own, as those of a large space are.",
    )
    erasures: Mapped[int] = mapped_column(
        BigInteger,
        server_default="0",
        comment="How often documents or chunks were deleted; a model's answer that was asked for before a "
        "deletion is not stored.",
    )
    graph_revision: Mapped[int] = mapped_column(
        BigInteger,
        server_default="0",
        comment="Rises with every change of the graph; locked by each graph write.",
    )
    closed_at: Mapped[datetime | None] = mapped_column(
        comment="When the space was deleted: from then on only the job that removes its data opens it."
    )
    created_at: Mapped[datetime] = build_created_at_column()
    updated_at: Mapped[datetime] = build_updated_at_column()


class UsageDaily(Base):
    """The usage of one space on one day, counted as it happens."""

    __tablename__ = "usage_daily"
    __table_args__ = (
        # One key for both columns, so that no tenant can be billed for another's space.
        build_tenant_and_space_foreign_key(),
        Index("ix_usage_daily_space", "knowledge_space_id", "tenant_id"),
        {
            "comment": (
                "Counters per tenant, space and day, from which bills and quotas are computed. Walled by "
                "app.tenant_id."
            )
        },
    )

    tenant_id: Mapped[UUID] = mapped_column(primary_key=True, comment="The tenant that is billed.")
    day: Mapped[date] = mapped_column(Date, primary_key=True, comment="The day, in UTC.")
    knowledge_space_id: Mapped[UUID] = mapped_column(primary_key=True, comment="The space that used it.")
    documents: Mapped[int] = mapped_column(BigInteger, server_default="0", comment="Documents ingested.")
    chunks: Mapped[int] = mapped_column(BigInteger, server_default="0", comment="Chunks extracted.")
    bytes: Mapped[int] = mapped_column(BigInteger, server_default="0", comment="Bytes of documents accepted.")
    model_calls: Mapped[int] = mapped_column(BigInteger, server_default="0", comment="Calls to a paid model.")
    prompt_tokens: Mapped[int] = mapped_column(
        BigInteger, server_default="0", comment="Tokens sent to models."
    )
    completion_tokens: Mapped[int] = mapped_column(
        BigInteger, server_default="0", comment="Tokens models wrote."
    )
    cost_usd: Mapped[float] = mapped_column(
        Numeric(18, 8), server_default="0", comment="Price of those calls, US dollars."
    )
    queries: Mapped[int] = mapped_column(BigInteger, server_default="0", comment="Graph queries answered.")


class UsageOfDeleted(Base):
    """The usage of deleted spaces by month, which still counts towards monthly limits."""

    __tablename__ = "usage_of_deleted"
    __table_args__ = (
        {
            "comment": (
                "What spaces used in the month in which they were deleted, so that deleting a space gives "
                "back no budget or tokens. Walled by app.tenant_id."
            )
        },
    )

    tenant_id: Mapped[UUID] = mapped_column(
        ForeignKey("tenant.id", ondelete="CASCADE"), primary_key=True, comment="The tenant that is billed."
    )
    month: Mapped[date] = mapped_column(Date, primary_key=True, comment="The first day of the month, in UTC.")
    prompt_tokens: Mapped[int] = mapped_column(
        BigInteger, server_default="0", comment="Tokens sent to models."
    )
    completion_tokens: Mapped[int] = mapped_column(
        BigInteger, server_default="0", comment="Tokens models wrote."
    )
    cost_usd: Mapped[float] = mapped_column(
        Numeric(18, 8), server_default="0", comment="Price of those calls, US dollars."
    )


class WallExamination(Base):
    """The last examination of the walls that an operator of the tenant requested; pages show the newest."""

    __tablename__ = "wall_examination"
    __table_args__ = (
        {
            "comment": (
                "Verdicts on the walls between tenants as of their last examination, for operators who "
                "belong to this tenant: names of tables and roles, no text of a document. Walled by "
                "app.tenant_id."
            )
        },
    )

    tenant_id: Mapped[UUID] = mapped_column(
        ForeignKey("tenant.id", ondelete="CASCADE"),
        primary_key=True,
        comment="The tenant of the operator who asked.",
    )
    examined_at: Mapped[datetime] = mapped_column(comment="When the examination ended.")
    seconds: Mapped[float] = mapped_column(comment="How long it took.")
    actor: Mapped[str] = mapped_column(Text, comment="Who asked for it.")
    verdicts: Mapped[list[dict[str, Any]]] = mapped_column(
        JSONB, comment="A list of subject, wall, state and sentences, as `citegraph doctor` gives them."
    )


class SpaceSize(Base):
    """A part of the size of one space: the sum of all its rows is the size."""

    __tablename__ = "space_size"
    __table_args__ = (
        # One key for both columns, so that no tenant's quota can count another's space.
        build_tenant_and_space_foreign_key(),
        Index(None, "tenant_id"),
        {
            "comment": "What spaces hold, as sums of rows that triggers add with each change; quotas are "
            "checked against "
            "it. Walled by app.tenant_id."
        },
    )

    knowledge_space_id: Mapped[UUID] = mapped_column(primary_key=True, comment="The space that grew.")
    tenant_id: Mapped[UUID] = mapped_column(primary_key=True, comment="The tenant that owns the space.")
    id: Mapped[UUID] = mapped_column(primary_key=True, comment="Random, made by whoever adds the row.")
    documents: Mapped[int] = mapped_column(
        BigInteger, server_default="0", comment="Documents added; negative: removed."
    )
    bytes: Mapped[int] = mapped_column(
        BigInteger, server_default="0", comment="Bytes of submitted documents added; negative: removed."
    )
    chunks: Mapped[int] = mapped_column(
        BigInteger, server_default="0", comment="Chunks added; negative: removed."
    )
    nodes: Mapped[int] = mapped_column(
        BigInteger, server_default="0", comment="Nodes added; negative: removed."
    )


class BudgetReservation(Base):
    """The maximum cost of a model call that is in progress."""

    __tablename__ = "budget_reservation"
    __table_args__ = (
        # One key for both columns, so that no tenant's budget can be used by another's calls.
        build_tenant_and_space_foreign_key(),
        Index(None, "tenant_id"),
        {
            "comment": "What calls under way may cost, of tenants and spaces with a limit; it counts as "
            "spent until the call ends. Walled by app.tenant_id."
        },
    )

    knowledge_space_id: Mapped[UUID] = mapped_column(primary_key=True, comment="The space that asks.")
    tenant_id: Mapped[UUID] = mapped_column(primary_key=True, comment="The tenant that pays.")
    id: Mapped[UUID] = mapped_column(primary_key=True, comment="uuid v7, made by the asking process.")
    job_id: Mapped[UUID | None] = mapped_column(
        comment="The job that asks: with its lease the reservation goes. Null for a request."
    )
    cost_usd: Mapped[Decimal] = mapped_column(
        Numeric(18, 8), comment="Price of the call at most, US dollars."
    )
    tokens: Mapped[int] = mapped_column(
        BigInteger, server_default="0", comment="Tokens that it sends and brings back, at most."
    )
    expires_at: Mapped[datetime] = mapped_column(comment="When the call has ended, whoever made it.")


class AuditEvent(Base):
    """Who did what, when and from where; the application can only add rows."""

    __tablename__ = "audit_event"
    __table_args__ = (
        Index(None, "tenant_id", "created_at"),
        Index(None, "tenant_id", "id"),
        {
            "comment": (
                "Append-only record of what was done, without bodies. Erasing a tenant removes its rows and "
                "adds one without a tenant (requirement 1.4)."
            )
        },
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, comment="uuid v7, made by the application.")
    tenant_id: Mapped[UUID | None] = mapped_column(
        ForeignKey("tenant.id", ondelete="CASCADE"),
        comment="The tenant concerned; null for what the platform did, such as erasing a tenant.",
    )
    knowledge_space_id: Mapped[UUID | None] = mapped_column(comment="The space concerned, if any.")
    actor: Mapped[str] = mapped_column(
        Text, comment="Who: a key's public id, a member's address, 'operator', 'cli' or a job."
    )
    actor_kind: Mapped[str] = mapped_column(
        Text,
        server_default="unknown",
        comment="account, key, operator, job; unknown for rows of earlier versions.",
    )
    action: Mapped[str] = mapped_column(Text, comment="What, as object.verb: space.delete, key.create, …")
    outcome: Mapped[str] = mapped_column(
        Text,
        server_default="done",
        comment="done or refused; an action that failed changed nothing and has no row.",
    )
    target_id: Mapped[UUID | None] = mapped_column(comment="The id of the object of the action.")
    other_ids: Mapped[list[UUID]] = mapped_column(
        ARRAY(Uuid()),
        server_default=text("'{}'::uuid[]"),
        comment="Ids of other objects that the action concerned.",
    )
    details: Mapped[dict[str, Any]] = mapped_column(
        JSONB, server_default=EMPTY_OBJECT, comment="Numbers, flags and codes; never words of a document."
    )
    door: Mapped[str] = mapped_column(
        Text,
        server_default="program",
        comment="The interface used: api, dashboard, cli or worker; program for rows of earlier versions.",
    )
    address: Mapped[str | None] = mapped_column(Text, comment="The network address that it came from.")
    request_id: Mapped[str | None] = mapped_column(Text, comment="The request that did it, as logs name it.")
    created_at: Mapped[datetime] = build_created_at_column()
