"""Webhooks: a tenant's own addresses that receive events, and the messages sent to them."""

from datetime import datetime
from typing import Literal
from uuid import UUID

from fastapi import APIRouter
from pydantic import Field

from app.api.key_scopes import CitegraphDep, TenantAdministrator
from app.api.paging import RequestedPage
from app.api.protocol.route import ApiRoute
from app.api.sessions import WholeTenant
from app.api.shapes import Body, Listing
from app.db.models import WebhookDelivery
from app.http.input_text import Address, Id
from app.jobs.webhooks import service as webhooks
from app.views.webhooks import DeliveryAnswer, NewWebhookAnswer, WebhookAnswer

router = APIRouter(prefix="/v1/webhooks", tags=["webhooks"], route_class=ApiRoute)

Event = Literal["job.done", "job.failed", "budget.reached", "conflict.found"]


class WebhookBody(Body):
    """A webhook to add."""

    url: Address = Field(description="An https address that resolves to public IP addresses only.")
    events: list[Event] = Field(min_length=1, max_length=4)


class WebhookChanges(Body):
    """The new state of a webhook."""

    enabled: bool


@router.post("", status_code=201)
def add_webhook(
    citegraph: CitegraphDep, tenant: WholeTenant, caller: TenantAdministrator, body: WebhookBody
) -> NewWebhookAnswer:
    """Add a webhook; its secret is shown only this once. 422 webhook_address_refused, 429 quota_exceeded."""
    allowed_hosts = citegraph.settings.listed_webhook_hosts
    new_webhook = webhooks.add_webhook(
        tenant, url=body.url, events=body.events, actor=caller.actor, allowed_hosts=allowed_hosts
    )
    return NewWebhookAnswer.model_validate(new_webhook)


@router.get("")
def list_webhooks(tenant: WholeTenant, page: RequestedPage) -> Listing[WebhookAnswer]:
    """List the tenant's webhooks, oldest first."""
    scope = ("webhooks", tenant.tenant_id)
    rows = webhooks.list_webhooks(tenant, after=page.decode_id(scope), limit=page.fetch_limit)
    return page.build_page_with_next_cursor(
        rows, WebhookAnswer.model_validate, lambda row: [str(row.id)], scope
    )


@router.get("/{webhook_id}")
def read_webhook(tenant: WholeTenant, webhook_id: Id) -> WebhookAnswer:
    """Return the webhook. 404."""
    return WebhookAnswer.model_validate(webhooks.get_webhook(tenant, webhook_id))


@router.patch("/{webhook_id}")
def change_webhook(
    tenant: WholeTenant, caller: TenantAdministrator, webhook_id: Id, body: WebhookChanges
) -> WebhookAnswer:
    """Enable or disable the webhook; messages that wait for it are sent once it is enabled. 404."""
    updated_webhook = webhooks.set_webhook_enabled(
        tenant, webhook_id, enabled=body.enabled, actor=caller.actor
    )
    return WebhookAnswer.model_validate(updated_webhook)


@router.delete("/{webhook_id}", status_code=204)
def remove_webhook(tenant: WholeTenant, caller: TenantAdministrator, webhook_id: Id) -> None:
    """Remove the webhook with its messages. 404."""
    webhooks.delete_webhook(tenant, webhook_id, actor=caller.actor)


@router.post("/{webhook_id}/rotate")
def rotate_secret(tenant: WholeTenant, caller: TenantAdministrator, webhook_id: Id) -> NewWebhookAnswer:
    """Give the webhook a new secret, shown only this once; for a day messages are signed with both. 404."""
    return NewWebhookAnswer.model_validate(webhooks.rotate_secret(tenant, webhook_id, actor=caller.actor))


@router.post("/{webhook_id}/test", status_code=202)
def send_test(tenant: WholeTenant, caller: TenantAdministrator, webhook_id: Id) -> DeliveryAnswer:
    """Have a worker send a message of the event `test` at once. 404, 409 webhook_disabled, webhook_full."""
    return DeliveryAnswer.model_validate(
        webhooks.enqueue_test_message(tenant, webhook_id, actor=caller.actor)
    )


@router.get("/{webhook_id}/deliveries")
def list_deliveries(tenant: WholeTenant, webhook_id: Id, page: RequestedPage) -> Listing[DeliveryAnswer]:
    """List the webhook's messages of the last 30 days, newest first. 404."""
    scope = ("deliveries", tenant.tenant_id, webhook_id)
    position = page.decode_position(scope)
    last_key = None if position is None else (datetime.fromisoformat(position[0]), UUID(position[1]))
    rows = webhooks.list_deliveries(tenant, webhook_id, after=last_key, limit=page.fetch_limit)
    return page.build_page_with_next_cursor(rows, DeliveryAnswer.model_validate, _get_cursor_position, scope)


@router.post("/{webhook_id}/deliveries/{delivery_id}/replay", status_code=202)
def replay(
    tenant: WholeTenant, caller: TenantAdministrator, webhook_id: Id, delivery_id: Id
) -> DeliveryAnswer:
    """Send the message again under the same id. 404, 409 webhook_disabled, delivery_pending."""
    delivery = webhooks.queue_delivered_message_again(tenant, webhook_id, delivery_id, actor=caller.actor)
    return DeliveryAnswer.model_validate(delivery)


def _get_cursor_position(row: WebhookDelivery) -> list[str]:
    return [row.created_at.isoformat(), str(row.id)]
