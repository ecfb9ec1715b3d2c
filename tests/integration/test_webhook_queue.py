"""Messages to webhooks cost the same however many wait, and each tenant has its turn (review C1)."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import UUID

import psycopg
import pytest
from sqlalchemy import URL

from app.db.database import Database
from app.db.engine import convert_to_conninfo
from app.db.sql import load_statement
from app.ids import TenantId, create_id
from app.jobs.webhooks import service as webhooks
from app.jobs.webhooks.sender import DeliveryResult
from app.jobs.webhooks.shapes import DueMessage
from app.limits import WEBHOOK_PENDING
from app.tenancy.tenants import service as tenants
from tests.conftest import Home
from tests.support.sampling import sampled

URL_OF_NOBODY = "https://example.com/hook"


@pytest.fixture
def superuser(privileged_url: URL) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(convert_to_conninfo(privileged_url), autocommit=True) as connection:
        yield connection


def add_webhook(database: Database, tenant_id: TenantId) -> UUID:
    with database.open_tenant(tenant_id) as tenant:
        return webhooks.add_webhook(
            tenant, url=URL_OF_NOBODY, events=["job.done"], actor="test", allowed_hosts=frozenset()
        ).id


def make_tenants(database: Database, count: int) -> list[TenantId]:
    with database.open_platform() as platform:
        made = [
            tenants.create_tenant(platform, name=f"crowd {create_id()}", actor="test") for _ in range(count)
        ]
        return [TenantId(tenant.id) for tenant in made]


def fill(superuser: psycopg.Connection[Any], tenant_id: UUID, webhook_id: UUID, count: int) -> None:
    """Put messages in the outbox past its trigger, all due, and let the tenant have its turn."""
    superuser.execute("SET session_replication_role = replica")
    superuser.execute(
        "INSERT INTO webhook_delivery (id, tenant_id, webhook_id, event, event_key, data, next_at)"
        " SELECT gen_random_uuid(), %s, %s, 'job.done', gen_random_uuid(), '{}',"
        " now() - number * interval '1 millisecond' FROM generate_series(1, %s) AS number",
        [tenant_id, webhook_id, count],
    )
    superuser.execute("SET session_replication_role = origin")
    superuser.execute(
        "INSERT INTO webhook_queue (tenant_id, due_at) VALUES (%s, now())"
        " ON CONFLICT (tenant_id) DO UPDATE SET due_at = now(), leased_until = NULL",
        [tenant_id],
    )


def take(database: Database, limit: int) -> list[DueMessage]:
    with database.open_platform() as platform:
        return webhooks.lease_due_messages_of_distinct_tenants(platform, limit=limit)


def note(database: Database, message: DueMessage, sent: DeliveryResult) -> None:
    with database.open_platform() as platform:
        webhooks.record_delivery_attempt(platform, message, sent)


def explain(database: Database, name: str, values: dict[str, Any]) -> dict[str, Any]:
    """The plan of the statement as the application runs it, which is taken back."""
    with database.open_platform() as platform, platform.connection.transaction(force_rollback=True):
        client = psycopg.ClientCursor(platform.connection)
        client.execute(
            b"EXPLAIN (ANALYZE, TIMING OFF, SUMMARY OFF, FORMAT JSON) " + load_statement(name).encode(),
            values,
        )
        (answer,) = client.fetchone() or ()
        (plan,) = json.loads(answer) if isinstance(answer, str) else answer
        return dict(plan["Plan"])


def scans(plan: dict[str, Any]) -> Iterator[tuple[str, str, float]]:
    """Each scan of a table: its kind, the table, and the rows that it read."""
    if "Relation Name" in plan and "Scan" in plan["Node Type"]:
        read = plan["Actual Rows"] + plan.get("Rows Removed by Filter", 0)
        yield plan["Node Type"], plan["Relation Name"], read * plan["Actual Loops"]
    for child in plan.get("Plans", ()):
        yield from scans(child)


@pytest.mark.soak
@pytest.mark.slow
@pytest.mark.parametrize("analyzed", sampled([False, True], every=2))
def test_a_turn_reads_the_same_rows_at_ten_messages_and_at_200_000(
    database: Database, superuser: psycopg.Connection[Any], analyzed: bool
) -> None:
    """Review C1."""
    crowd = [(tenant, add_webhook(database, tenant)) for tenant in make_tenants(database, 40)]
    values = {"limit": 4, "turns": 32, "seconds": 60.0}
    rows_read = []
    for pending in (1, 5_000):
        for tenant, webhook in crowd:
            fill(superuser, tenant, webhook, pending)
        if analyzed:
            superuser.execute("ANALYZE webhook_delivery, webhook, webhook_queue")
        read = list(scans(explain(database, "jobs.webhooks.lease_due_messages", values)))
        rows_read.append(sum(rows for _, table, rows in read if table == "webhook_delivery"))
    few, many = rows_read
    assert many <= min(few, 2 * values["turns"] + values["limit"]), read
    assert ("Seq Scan", "webhook_delivery") not in {scan[:2] for scan in read}


def test_what_is_full_drops_and_counts_and_leaves_its_neighbours_alone(
    database: Database, superuser: psycopg.Connection[Any], home: Home
) -> None:
    """Review C1."""
    full, other = add_webhook(database, home.tenant_id), add_webhook(database, home.tenant_id)
    fill(superuser, home.tenant_id, full, WEBHOOK_PENDING.maximum - 1)
    with database.open_tenant(home.tenant_id) as tenant:
        webhooks.enqueue_test_message(tenant, full, actor="test")
    with database.open_tenant(home.tenant_id) as tenant:
        for webhook in (full, full, other):
            tenant.connection.execute(
                "INSERT INTO webhook_delivery (id, tenant_id, webhook_id, event, event_key, data)"
                " VALUES (gen_random_uuid(), %s, %s, 'job.done', gen_random_uuid(), '{}')",
                [home.tenant_id, webhook],
            )
    with database.open_tenant(home.tenant_id) as tenant:
        shown = {row.id: (row.dropped, row.dropped_at is None) for row in webhooks.list_webhooks(tenant)}
        assert shown == {full: (2, False), other: (0, True)}
        with pytest.raises(Exception, match="5,000 messages wait"):
            webhooks.enqueue_test_message(tenant, full, actor="test")


def test_tenants_take_turns(database: Database, superuser: psycopg.Connection[Any]) -> None:
    """Review C1: a tenant with thousands of messages has one turn in three."""
    first, second, third = make_tenants(database, 3)
    for tenant, count in ((first, 4_000), (second, 2), (third, 2)):
        fill(superuser, tenant, add_webhook(database, tenant), count)
    order = []
    for _ in range(6):
        (message,) = take(database, 1)
        order.append(message.tenant_id)
        note(database, message, DeliveryResult(200, None))
    assert sorted(order[:3]) == sorted([first, second, third])
    assert order[3:] == order[:3]


def test_no_message_is_taken_twice_and_none_is_left(
    database: Database, superuser: psycopg.Connection[Any]
) -> None:
    """Four workers at once, each message of a webhook in the order of its time."""
    crowd = [(tenant, add_webhook(database, tenant)) for tenant in make_tenants(database, 5)]
    for tenant, webhook in crowd:
        fill(superuser, tenant, webhook, 20)

    def work(_: int) -> list[DueMessage]:
        sent: list[DueMessage] = []
        idle = 0
        while idle < 20:
            messages = take(database, 2)
            idle = 0 if messages else idle + 1
            for message in messages:
                note(database, message, DeliveryResult(200, None))
            sent += messages
        return sent

    with ThreadPoolExecutor(4) as threads:
        sent = [message for part in threads.map(work, range(4)) for message in part]
    assert len({message.id for message in sent}) == len(sent) == 100
    assert superuser.execute(
        "SELECT count(*) FROM webhook_delivery WHERE state = 'pending' AND tenant_id = ANY(%s)",
        [[tenant for tenant, _ in crowd]],
    ).fetchone() == (0,)


def test_a_message_that_is_not_committed_when_its_queue_is_looked_at_is_found(
    database: Database, home: Home
) -> None:
    webhook = add_webhook(database, home.tenant_id)
    with database.open_tenant(home.tenant_id) as tenant:
        webhooks.enqueue_test_message(tenant, webhook, actor="test")
    (message,) = take(database, 10)
    with database.open_tenant(home.tenant_id) as tenant:
        webhooks.enqueue_test_message(tenant, webhook, actor="test")
        # While this transaction has the queue's row, the end of the first message waits for it.
        with ThreadPoolExecutor(1) as threads:
            ending = threads.submit(note, database, message, DeliveryResult(200, None))
            assert take(database, 10) == []
            tenant.orm.commit()
            ending.result(timeout=30)
    assert len(take(database, 10)) == 1


def test_a_worker_that_died_gives_the_turn_back(
    database: Database, superuser: psycopg.Connection[Any], home: Home
) -> None:
    webhook = add_webhook(database, home.tenant_id)
    with database.open_tenant(home.tenant_id) as tenant:
        webhooks.enqueue_test_message(tenant, webhook, actor="test")
    (message,) = take(database, 10)
    assert take(database, 10) == []
    past = "SET leased_until = now() - interval '1 second'"
    superuser.execute(f"UPDATE webhook_queue {past}, due_at = now() WHERE tenant_id = %s", [home.tenant_id])
    superuser.execute(f"UPDATE webhook_delivery {past} WHERE id = %s", [message.id])
    (again,) = take(database, 10)
    assert (again.id, again.fence) == (message.id, message.fence + 1)
    note(database, message, DeliveryResult(200, None))
    with database.open_tenant(home.tenant_id) as tenant:
        assert webhooks.list_deliveries(tenant, webhook)[0].state == "pending", "its lease is another's"
