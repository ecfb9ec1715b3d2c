"""Webhooks and their deliveries."""

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from pydantic import Field

from app.views.view import View


class WebhookAnswer(View):
    """A webhook, without its secret."""

    id: UUID
    url: str
    events: list[str]
    failing_since: datetime | None = Field(description="Since when every message has failed; null: it works.")
    retry_at: datetime | None = Field(description="Time until which nothing is sent after a failure.")
    disabled_at: datetime | None = Field(
        description="Since when it receives no messages; null: it is enabled."
    )
    disabled_reason: Literal["request", "failing", "gone"] | None = Field(
        description="request: by you; failing: after a week of failures; gone: its server answered 410."
    )
    dropped: int = Field(description="Messages that were not stored, because 5,000 were already waiting.")
    dropped_at: datetime | None = Field(description="When the last of them was dropped.")
    created_at: datetime


class NewWebhookAnswer(WebhookAnswer):
    """A webhook with its secret, which is shown only this once."""

    secret: str = Field(description="whsec_ and base64: the key of Standard Webhooks' signatures.")


class DeliveryAnswer(View):
    """A message and the state of its delivery."""

    id: UUID = Field(description="The Webhook-Id header, the same at every attempt.")
    event: str
    data: dict[str, Any]
    state: Literal["pending", "delivered", "failed"]
    attempts: int
    next_at: datetime
    last_status: int | None
    last_error: str | None = Field(
        description="address_refused, unknown_host, unreachable, tls, timeout, no_http, refused."
    )
    ended_at: datetime | None
    created_at: datetime
