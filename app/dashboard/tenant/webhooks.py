"""Webhooks of a tenant: addresses that receive events, their secrets (shown once), and sent messages."""

from collections.abc import Callable
from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from fastapi import APIRouter, Form, Query
from fastapi.responses import Response

from app.dashboard.deps import (
    AdministeredTenant,
    CitegraphDep,
    PageRenderer,
    PageTenant,
    PageTenantDep,
    Renderer,
    Visitor,
)
from app.dashboard.routing import PageRoute
from app.db.models import Webhook, WebhookDelivery
from app.db.session import TenantSession
from app.errors import CitegraphError, NotFound
from app.http.authentication import DASHBOARD_PATH
from app.http.edit_versions.shapes import Kind
from app.http.input_text import Address
from app.jobs.webhooks import service as webhooks
from app.limits import WEBHOOK_PENDING, WEBHOOKS

router = APIRouter(
    prefix=DASHBOARD_PATH + "/tenants/{tenant_id}/webhooks", route_class=PageRoute, include_in_schema=False
)

PAGE_SIZE = 40
DESCRIPTION_BY_EVENT = {
    "job.done": "a job has ended well",
    "job.failed": "a job has failed",
    "budget.reached": "a job waits for the month's budget",
    "conflict.found": "a new document contradicts the graph",
}
DESCRIPTION_BY_ERROR = {
    "address_refused": "the address leads to a network that is not public",
    "unknown_host": "its name is not known",
    "unreachable": "nobody took the connection",
    "tls": "its certificate was not accepted",
    "timeout": "no answer within ten seconds",
    "no_http": "what answered was no HTTP",
    "refused": "it did not answer with success",
}

Event = Literal["job.done", "job.failed", "budget.reached", "conflict.found"]


@router.get("")
def list_webhooks(page: Renderer, tenant: PageTenantDep, session: AdministeredTenant) -> Response:
    """Show the webhooks and the form for a new one."""
    return _show_webhooks(page, tenant, session)


@router.post("")
def add_webhook(
    page: Renderer,
    citegraph: CitegraphDep,
    tenant: PageTenantDep,
    session: AdministeredTenant,
    visitor: Visitor,
    url: Annotated[Address, Form()],
    events: Annotated[list[Event], Form()] = [],  # noqa: B006  (FastAPI copies it)
) -> Response:
    """Create a webhook and show its secret, only this once."""
    allowed_hosts = citegraph.settings.listed_webhook_hosts
    try:
        webhook = webhooks.add_webhook(
            session, url=url, events=events, actor=visitor.actor, allowed_hosts=allowed_hosts
        )
    except CitegraphError as error:
        return _show_webhooks(
            page, tenant, session, status=error.status, refused=error.message, typed=url, chosen=events
        )
    return _show_webhook(page, tenant, session, webhook, secret=webhook.secret)


@router.get("/{webhook_id}")
def show_webhook(
    page: Renderer,
    tenant: PageTenantDep,
    session: AdministeredTenant,
    webhook_id: UUID,
    after: Annotated[UUID | None, Query()] = None,
    sent: Annotated[datetime | None, Query()] = None,
) -> Response:
    """Show one webhook with its messages of the last 30 days, newest first."""
    page.add_versions_to_forms(session, Kind.WEBHOOK, [webhook_id])
    position = None if after is None or sent is None or sent.tzinfo is None else (sent, after)
    return _show_webhook(page, tenant, session, webhooks.get_webhook(session, webhook_id), after=position)


@router.post("/{webhook_id}/{act}")
def change_webhook(
    page: Renderer,
    tenant: PageTenantDep,
    session: AdministeredTenant,
    visitor: Visitor,
    webhook_id: UUID,
    act: Literal["enable", "disable", "rotate", "test", "remove"],
) -> Response:
    """Enable, disable or test a webhook, renew its secret, or remove it with its messages."""
    actor = visitor.actor
    if act == "remove":
        webhooks.delete_webhook(session, webhook_id, actor=actor)
        return page.redirect(f"{tenant.path}/webhooks")
    if act == "rotate":
        updated_webhook = webhooks.rotate_secret(session, webhook_id, actor=actor)
        return _show_webhook(page, tenant, session, updated_webhook, secret=updated_webhook.secret)
    if act == "test":
        return _send_and_redirect(
            page,
            tenant,
            session,
            webhook_id,
            lambda: webhooks.enqueue_test_message(session, webhook_id, actor=actor),
        )
    webhooks.set_webhook_enabled(session, webhook_id, enabled=act == "enable", actor=actor)
    return page.redirect(f"{tenant.path}/webhooks/{webhook_id}")


@router.post("/{webhook_id}/deliveries/{delivery_id}/replay")
def redeliver_message(
    page: Renderer,
    tenant: PageTenantDep,
    session: AdministeredTenant,
    visitor: Visitor,
    webhook_id: UUID,
    delivery_id: UUID,
) -> Response:
    """Send a message again, under the same id."""
    return _send_and_redirect(
        page,
        tenant,
        session,
        webhook_id,
        lambda: webhooks.queue_delivered_message_again(session, webhook_id, delivery_id, actor=visitor.actor),
    )


def _send_and_redirect(
    page: PageRenderer,
    tenant: PageTenant,
    session: TenantSession,
    webhook_id: UUID,
    send: Callable[[], WebhookDelivery],
) -> Response:
    """Put a message in the outbox and redirect to the webhook; if it may not be sent, show the reason."""
    try:
        send()
    except NotFound:
        raise
    except CitegraphError as error:
        webhook = webhooks.get_webhook(session, webhook_id)
        return _show_webhook(page, tenant, session, webhook, status=error.status, refused=error.message)
    return page.redirect(f"{tenant.path}/webhooks/{webhook_id}")


def _show_webhooks(
    page: PageRenderer, tenant: PageTenant, session: TenantSession, *, status: int = 200, **values: object
) -> Response:
    webhook_rows = webhooks.list_webhooks(session, limit=WEBHOOKS.maximum)
    return page.show(
        "tenant/webhooks.html",
        status=status,
        tenant=tenant,
        active="webhooks",
        webhooks=webhook_rows,
        full=len(webhook_rows) >= WEBHOOKS.maximum,
        events=DESCRIPTION_BY_EVENT,
        **{"refused": None, "typed": "", "chosen": ["job.done", "job.failed"], **values},
    )


def _show_webhook(
    page: PageRenderer,
    tenant: PageTenant,
    session: TenantSession,
    webhook: Webhook,
    *,
    after: webhooks.DeliveryCursor | None = None,
    status: int = 200,
    **values: object,
) -> Response:
    page.add_versions_to_forms(session, Kind.WEBHOOK, [webhook.id])
    deliveries = webhooks.list_deliveries(session, webhook.id, after=after, limit=PAGE_SIZE + 1)
    return page.show(
        "tenant/webhook.html",
        status=status,
        tenant=tenant,
        active="webhooks",
        webhook=webhook,
        deliveries=deliveries[:PAGE_SIZE],
        following=deliveries[PAGE_SIZE - 1] if len(deliveries) > PAGE_SIZE else None,
        first=after is None,
        events=DESCRIPTION_BY_EVENT,
        errors=DESCRIPTION_BY_ERROR,
        kept_days=webhooks.MESSAGE_LIFETIME_DAYS,
        failing_days=webhooks.DISABLED_AFTER_DAYS,
        max_pending=WEBHOOK_PENDING.maximum,
        **{"refused": None, "secret": None, **values},
    )
