"""Commands about webhooks: URLs that receive a tenant's events, and the messages sent to them."""

from typing import Annotated, Any
from uuid import UUID

import typer

from app.cli.context import ACTOR, start_servers_and_connect_operator
from app.cli.filtering import Words, filter_pages
from app.cli.options import AsJson, Limit, Tenant, make_group, parse_id
from app.cli.output import print_line, print_note, show_json, show_table
from app.cli.seen_versions import IfMatch, build_version_fields_by_id, lock_and_check_seen_version
from app.db.models import Webhook
from app.db.session import TenantSession
from app.http.edit_versions.shapes import Kind
from app.jobs.webhooks import service as webhooks
from app.views.webhooks import DeliveryAnswer, NewWebhookAnswer, WebhookAnswer

webhook_app = make_group("webhook", "Send messages about events of a tenant to your own URLs.")

WebhookId = Annotated[str, typer.Argument(help="Its id.")]


@webhook_app.command("add")
def add_webhook(
    url: Annotated[str, typer.Argument(help="An https address.")],
    event: Annotated[list[str], typer.Option(help="An event; may be given several times.")],
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """Add a webhook and show its secret once."""
    with start_servers_and_connect_operator(tenant) as operator, operator.open_tenant() as session:
        allowed_hosts = operator.citegraph.settings.listed_webhook_hosts
        new_webhook = webhooks.add_webhook(
            session, url=url, events=event, actor=ACTOR, allowed_hosts=allowed_hosts
        )
    _show_secret(new_webhook, as_json)


@webhook_app.command("list")
def list_webhooks(
    words: Words = None, tenant: Tenant = None, limit: Limit = 100, as_json: AsJson = False
) -> None:
    """List the tenant's webhooks, oldest first."""
    with start_servers_and_connect_operator(tenant) as operator, operator.open_tenant() as session:
        versions = build_version_fields_by_id(session, Kind.WEBHOOK)
        rows: list[dict[str, Any]] = [
            {**dict(WebhookAnswer.model_validate(webhook)), **versions.get(webhook.id, {})}
            for webhook in filter_pages(
                words,
                limit,
                lambda last_row, limit: webhooks.list_webhooks(
                    session, after=None if last_row is None else last_row.id, limit=limit
                ),
                lambda row: dict(WebhookAnswer.model_validate(row)).values(),
            )
        ]
    columns = ("failing_since", "disabled_at", "disabled_reason", "dropped")
    if as_json:
        show_json(rows)
    else:
        show_table(
            ["ID", "ADDRESS", "EVENTS", "FAILING SINCE", "DISABLED", "WHY", "DROPPED"],
            (
                [row["id"], row["url"], ", ".join(row["events"]), *(row[name] for name in columns)]
                for row in rows
            ),
            empty_message="No webhooks yet: `citegraph webhook add URL --event job.done` adds one.",
        )


@webhook_app.command("enable")
def enable_webhook(webhook_id: WebhookId, if_match: IfMatch = None, tenant: Tenant = None) -> None:
    """Enable a webhook; messages that waited for it are sent."""
    with start_servers_and_connect_operator(tenant) as operator, operator.open_tenant() as session:
        checked_id = _parse_webhook_id_and_check_version(session, webhook_id, if_match)
        webhooks.set_webhook_enabled(session, checked_id, enabled=True, actor=ACTOR)
    print_line("Enabled.")


@webhook_app.command("disable")
def disable_webhook(webhook_id: WebhookId, if_match: IfMatch = None, tenant: Tenant = None) -> None:
    """Disable a webhook: it receives nothing until it is enabled again."""
    with start_servers_and_connect_operator(tenant) as operator, operator.open_tenant() as session:
        checked_id = _parse_webhook_id_and_check_version(session, webhook_id, if_match)
        webhooks.set_webhook_enabled(session, checked_id, enabled=False, actor=ACTOR)
    print_line("Disabled.")


@webhook_app.command("remove")
def remove_webhook(webhook_id: WebhookId, if_match: IfMatch = None, tenant: Tenant = None) -> None:
    """Remove a webhook with its messages."""
    with start_servers_and_connect_operator(tenant) as operator, operator.open_tenant() as session:
        checked_id = _parse_webhook_id_and_check_version(session, webhook_id, if_match)
        webhooks.delete_webhook(session, checked_id, actor=ACTOR)
    print_line("Removed.")


@webhook_app.command("rotate")
def rotate_secret(
    webhook_id: WebhookId, if_match: IfMatch = None, tenant: Tenant = None, as_json: AsJson = False
) -> None:
    """Give a webhook a new secret and show it once; for a day messages are signed with both."""
    with start_servers_and_connect_operator(tenant) as operator, operator.open_tenant() as session:
        checked_id = _parse_webhook_id_and_check_version(session, webhook_id, if_match)
        updated_webhook = webhooks.rotate_secret(session, checked_id, actor=ACTOR)
    _show_secret(updated_webhook, as_json)


@webhook_app.command("test")
def send_test(webhook_id: WebhookId, tenant: Tenant = None) -> None:
    """Send a test message; a worker delivers it."""
    with start_servers_and_connect_operator(tenant) as operator, operator.open_tenant() as session:
        test_message = webhooks.enqueue_test_message(session, parse_id(webhook_id, "webhook"), actor=ACTOR)
    print_line(f"Message {test_message.id} waits for a worker.")


@webhook_app.command("deliveries")
def list_deliveries(
    webhook_id: WebhookId,
    words: Words = None,
    tenant: Tenant = None,
    limit: Limit = 100,
    as_json: AsJson = False,
) -> None:
    """List the messages of a webhook, newest first."""
    with start_servers_and_connect_operator(tenant) as operator, operator.open_tenant() as session:
        parsed_id = parse_id(webhook_id, "webhook")
        matches = filter_pages(
            words,
            limit,
            lambda last_row, limit: webhooks.list_deliveries(
                session,
                parsed_id,
                after=None if last_row is None else (last_row.created_at, last_row.id),
                limit=limit,
            ),
            lambda row: dict(DeliveryAnswer.model_validate(row)).values(),
        )
        deliveries = [DeliveryAnswer.model_validate(row) for row in matches]
    if as_json:
        show_json(deliveries)
    else:
        show_table(
            ["ID", "EVENT", "STATE", "TRIES", "STATUS", "ERROR"],
            (
                [
                    delivery.id,
                    delivery.event,
                    delivery.state,
                    delivery.attempts,
                    delivery.last_status,
                    delivery.last_error,
                ]
                for delivery in deliveries
            ),
            empty_message="Nothing has been sent yet.",
        )


@webhook_app.command("replay")
def resend_message(
    webhook_id: WebhookId,
    delivery_id: Annotated[str, typer.Argument(help="Id of the message.")],
    tenant: Tenant = None,
) -> None:
    """Send a message again, under the same id."""
    message_key = parse_id(webhook_id, "webhook"), parse_id(delivery_id, "delivery")
    with start_servers_and_connect_operator(tenant) as operator, operator.open_tenant() as session:
        webhooks.queue_delivered_message_again(session, *message_key, actor=ACTOR)
    print_line("The message waits for a worker.")


def _parse_webhook_id_and_check_version(
    session: TenantSession, webhook_argument: str, if_match: str | None
) -> UUID:
    """Return the webhook's id if its version is the one the caller has seen. Raises NotFound, Stale."""
    webhook_id = parse_id(webhook_argument, "webhook")
    lock_and_check_seen_version(session, Kind.WEBHOOK, webhook_id, if_match)
    return webhook_id


def _show_secret(webhook: Webhook, as_json: bool) -> None:
    if as_json:
        show_json(NewWebhookAnswer.model_validate(webhook))
        return
    print_line(f"{webhook.id} {webhook.secret}")
    print_note("The secret is shown only this once.")
