"""Requests that carried an idempotency key, kept for a day."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import Boolean, CheckConstraint, ForeignKey, Index, Integer, LargeBinary, Text, text
from sqlalchemy.orm import Mapped, mapped_column

from app.db.base import Base, created_at


class IdempotentRequest(Base):
    """A request that changes something and may be sent again, by its key."""

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
        Boolean, server_default=text("false"), comment="Whether it changed anything; a read is run again."
    )
    created_at: Mapped[datetime] = created_at()
    done_at: Mapped[datetime | None] = mapped_column(comment="When it was carried out.")
