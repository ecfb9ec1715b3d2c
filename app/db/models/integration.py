"""Integration with tenants' programs: webhooks, the outbox of messages, and idempotent requests."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import (
    ARRAY,
    BigInteger,
    Boolean,
    CheckConstraint,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    Text,
    UniqueConstraint,
    func,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from app.db.base import Base, build_created_at_column, build_tenant_and_space_foreign_key


class Webhook(Base):
    """A tenant's URL to which events are sent."""

    __tablename__ = "webhook"
    __table_args__ = (
        UniqueConstraint("tenant_id", "id"),
        {"comment": "Addresses that receive a tenant's events. Walled by app.tenant_id."},
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, comment="uuid v7, made by the application.")
    tenant_id: Mapped[UUID] = mapped_column(
        ForeignKey("tenant.id", ondelete="CASCADE"), comment="The tenant whose events it receives."
    )
    url: Mapped[str] = mapped_column(Text, comment="The address, checked again at every connection.")
    events: Mapped[list[str]] = mapped_column(ARRAY(Text), comment="The events that it receives.")
    secret: Mapped[str] = mapped_column(Text, comment="The key of its signatures.")
    old_secret: Mapped[str | None] = mapped_column(Text, comment="The previous key of its signatures.")
    old_secret_until: Mapped[datetime | None] = mapped_column(
        comment="Until when the previous key signs too."
    )
    failing_since: Mapped[datetime | None] = mapped_column(comment="When it began to fail; null: it works.")
    failures: Mapped[int] = mapped_column(
        Integer, server_default="0", comment="Tries that failed one after the other."
    )
    retry_at: Mapped[datetime | None] = mapped_column(comment="When it is tried again after a failure.")
    disabled_at: Mapped[datetime | None] = mapped_column(comment="When it was disabled; null: it is not.")
    disabled_reason: Mapped[str | None] = mapped_column(
        Text, comment="Why it is disabled: request, failing or gone; null where it is not."
    )
    dropped: Mapped[int] = mapped_column(
        BigInteger,
        server_default="0",
        comment="Messages that were dropped because too many waited.",
    )
    dropped_at: Mapped[datetime | None] = mapped_column(comment="When the last of them was dropped.")
    created_at: Mapped[datetime] = build_created_at_column()


class WebhookQueue(Base):
    """A tenant's position in the queue of tenants with waiting messages."""

    __tablename__ = "webhook_queue"
    __table_args__ = (
        Index(None, "due_at"),
        {"comment": "Tenants whose messages wait, each served in its turn. Walled by app.tenant_id."},
    )

    tenant_id: Mapped[UUID] = mapped_column(
        ForeignKey("tenant.id", ondelete="CASCADE"),
        primary_key=True,
        comment="The tenant whose messages wait.",
    )
    due_at: Mapped[datetime | None] = mapped_column(
        comment="When a worker looks for its next message; null: none waits."
    )
    leased_until: Mapped[datetime | None] = mapped_column(
        comment="Until when a worker holds one of its messages."
    )


class WebhookDelivery(Base):
    """A message to one webhook, written in the event's transaction and sent by a worker."""

    __tablename__ = "webhook_delivery"
    __table_args__ = (
        # One key for both columns, so that no message can go to another tenant's webhook.
        ForeignKeyConstraint(
            ["tenant_id", "webhook_id"], ["webhook.tenant_id", "webhook.id"], ondelete="CASCADE"
        ),
        build_tenant_and_space_foreign_key(),
        UniqueConstraint("webhook_id", "event_key"),
        CheckConstraint("state IN ('pending', 'delivered', 'failed')", name="state_known"),
        Index("ix_webhook_delivery_due", "webhook_id", "next_at", postgresql_where=text("state = 'pending'")),
        Index(None, "tenant_id", "webhook_id", "created_at"),
        Index(None, "knowledge_space_id"),
        Index(None, "created_at"),
        {"comment": "Messages to webhooks: ids, codes and numbers, for 30 days. Walled by app.tenant_id."},
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, comment="Its id at the receiver, at every try.")
    tenant_id: Mapped[UUID] = mapped_column(
        ForeignKey("tenant.id", ondelete="CASCADE"), comment="The tenant whose event it is."
    )
    webhook_id: Mapped[UUID] = mapped_column(comment="The webhook that receives it.")
    knowledge_space_id: Mapped[UUID | None] = mapped_column(comment="The space that it happened in, if any.")
    event: Mapped[str] = mapped_column(Text, comment="What happened.")
    event_key: Mapped[str] = mapped_column(Text, comment="The event and its object, so that it is sent once.")
    data: Mapped[dict[str, Any]] = mapped_column(
        JSONB, comment="Ids, codes and numbers; no text of a document."
    )
    state: Mapped[str] = mapped_column(Text, server_default="pending", comment="pending, delivered, failed.")
    attempts: Mapped[int] = mapped_column(Integer, server_default="0", comment="How often it was sent.")
    fence: Mapped[int] = mapped_column(Integer, server_default="0", comment="Rises with every lease.")
    next_at: Mapped[datetime] = mapped_column(server_default=func.now(), comment="When to try next.")
    leased_until: Mapped[datetime | None] = mapped_column(comment="Until when a worker holds it.")
    last_status: Mapped[int | None] = mapped_column(Integer, comment="The status that the receiver answered.")
    last_error: Mapped[str | None] = mapped_column(Text, comment="Or a code of what went wrong.")
    ended_at: Mapped[datetime | None] = mapped_column(comment="When it was delivered or given up.")
    created_at: Mapped[datetime] = build_created_at_column()


class IdempotentRequest(Base):
    """A changing request with an idempotency key, which can be repeated safely."""

    __tablename__ = "idempotent_request"
    __table_args__ = (
        CheckConstraint("octet_length(idempotency_key) BETWEEN 1 AND 255", name="key_size"),
        CheckConstraint("(done_at IS NULL) = (fingerprint IS NULL)", name="done_is_known"),
        Index(None, "created_at"),
        Index(None, "tenant_id"),
        {
            "comment": (
                "Requests with an Idempotency-Key and their answers, sealed with the caller's token, for a"
                " day. Walled by app.tenant_id."
            )
        },
    )

    principal: Mapped[str] = mapped_column(
        Text, primary_key=True, comment="Whose key it is: an API key's public id, or the operator."
    )
    idempotency_key: Mapped[str] = mapped_column(Text, primary_key=True, comment="The key, as it was sent.")
    tenant_id: Mapped[UUID | None] = mapped_column(
        ForeignKey("tenant.id", ondelete="CASCADE"), comment="The principal's tenant; null for the operator."
    )
    fence: Mapped[UUID] = mapped_column(comment="Made for each try; only its holder may finish the row.")
    leased_until: Mapped[datetime] = mapped_column(comment="How long a request under way keeps the key.")
    fingerprint: Mapped[bytes | None] = mapped_column(
        LargeBinary, comment="SHA-256 of method, path, query and body, once it is carried out."
    )
    status: Mapped[int | None] = mapped_column(Integer, comment="The status of its answer.")
    media_type: Mapped[str | None] = mapped_column(Text, comment="The content type of its answer.")
    answer: Mapped[bytes | None] = mapped_column(
        LargeBinary, comment="Its answer under a pad that only the caller's token gives."
    )
    changed: Mapped[bool] = mapped_column(
        Boolean,
        server_default=text("false"),
        comment="Whether the request changed anything; a read is run again.",
    )
    created_at: Mapped[datetime] = build_created_at_column()
    done_at: Mapped[datetime | None] = mapped_column(comment="When it was carried out.")
