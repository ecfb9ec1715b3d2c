"""Webhooks: written with their event, signed, sent again, disabled, replayed; and never sent inside."""

import base64
import hashlib
import hmac
import json
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from uuid import UUID

import psycopg
import pytest
from sqlalchemy import URL

from app.db.engine import convert_to_conninfo
from app.db.session import SpaceSession
from app.ids import JobId
from app.jobs import queue
from app.jobs.shapes import Lease
from app.jobs.webhooks import delivery_retries
from app.jobs.webhooks import service as webhooks
from app.jobs.webhooks.addresses import (
    RefusedAddress,
    check_public_ip_address,
    parse_and_check_webhook_url,
    resolve_to_public_addresses,
)
from app.jobs.webhooks.sender import post_signed_message, sign_message
from app.settings import Settings
from tests.api.conftest import Account, World
from workers.webhooks import WebhookDeliverer

NOBODY: frozenset[str] = frozenset()


@dataclass
class Receiver:
    """A customer's server: what it got, and what it answers."""

    port: int = 0
    status: int = 200
    got: list[tuple[dict[str, str], bytes]] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hook?x=1"


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    found = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            found.got.append(({k.lower(): v for k, v in self.headers.items()}, body))
            self.send_response(found.status)
            self.send_header("Location", f"http://127.0.0.1:{found.port}/elsewhere")
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    found.port = server.server_port
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield found
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def superuser(admin_url: URL, api_url: URL) -> Iterator[psycopg.Connection[Any]]:
    url = convert_to_conninfo(admin_url.set(database=api_url.database))
    with psycopg.connect(url, autocommit=True) as connection:
        yield connection


def add(world: World, account: Account, receiver: Receiver, *events: str) -> dict[str, Any]:
    """A webhook to the receiver, which the operator lists."""
    with world.citegraph.database.open_tenant(account.home.tenant_id) as tenant:
        allowed = frozenset({f"127.0.0.1:{receiver.port}"})
        made = webhooks.add_webhook(
            tenant, url=receiver.url, events=events or ("job.done",), actor="test", allowed_hosts=allowed
        )
        return {"id": made.id, "secret": made.secret}


def deliver(world: World, receiver: Receiver) -> int:
    """Send all that is due; return how much the receiver got. What other tests left may be due as well."""
    before = len(receiver.got)
    settings = Settings(webhook_hosts=f"127.0.0.1:{receiver.port}")
    deliverer = WebhookDeliverer(world.citegraph.database, settings)
    while deliverer.deliver_due_messages():
        pass
    return len(receiver.got) - before


def hurry(superuser: Any, tenant_id: UUID) -> None:
    """Let all that the tenant has waiting be due now."""
    superuser.execute(
        "UPDATE webhook_delivery SET next_at = now() WHERE tenant_id = %s AND state = 'pending'", [tenant_id]
    )
    superuser.execute("UPDATE webhook SET retry_at = NULL WHERE tenant_id = %s", [tenant_id])
    superuser.execute("UPDATE webhook_queue SET due_at = now() WHERE tenant_id = %s", [tenant_id])


def deliveries(world: World, account: Account, webhook_id: UUID) -> list[dict[str, Any]]:
    answer = world.http.get(f"/v1/webhooks/{webhook_id}/deliveries", headers=account.bearer())
    found: list[dict[str, Any]] = answer.json()["items"]
    return found


def finish(space: SpaceSession, lease: Lease, state: str, code: str | None) -> None:
    """End a job by the statement that every end of a job runs."""
    told = {"state": state, "stage": "x", "counts": "{}", "error_code": code, "error_message": code}
    rest = {"delay": 3600.0, "failed": 0, "uncount": 0}
    space.run("jobs.finish_job", {"job": lease.job_id, "fence": lease.fence, **told, **rest})


def ingest(world: World, account: Account, text: str) -> str:
    answer = world.http.post(f"{account.space}/documents", headers=account.bearer(), json={"text": text})
    world.drain()
    return str(answer.json()["job"]["id"])


class TestEvents:
    def test_a_job_that_is_done_is_told_and_signed(
        self, world: World, guest: Account, receiver: Receiver
    ) -> None:
        hook = add(world, guest, receiver)
        job = ingest(world, guest, "Ada Lovelace knows Charles Babbage.")
        assert deliver(world, receiver) >= 1
        headers, body = next(
            request for request in receiver.got if json.loads(request[1])["data"]["job_id"] == job
        )
        message = json.loads(body)
        assert (message["type"], message["data"]["state"]) == ("job.done", "done")
        assert message["data"]["space_id"] == str(guest.space_id)
        key = base64.b64decode(hook["secret"].removeprefix("whsec_"))
        signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
        expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
        assert headers["webhook-signature"] == f"v1,{expected}"
        assert abs(time.time() - int(headers["webhook-timestamp"])) < 60
        assert b"Lovelace" not in body
        assert {delivery["state"] for delivery in deliveries(world, guest, hook["id"])} == {"delivered"}

    def test_another_tenants_job_is_not(self, world: World, guest: Account, receiver: Receiver) -> None:
        hook = add(world, guest, receiver)
        ingest(world, world.b, f"Eve knows Ada {time.time()}.")
        assert deliveries(world, guest, hook["id"]) == []

    def test_a_job_whose_transaction_fails_is_not(
        self, world: World, guest: Account, receiver: Receiver
    ) -> None:
        hook = add(world, guest, receiver)
        world.http.post(f"{guest.space}/documents", headers=guest.bearer(), json={"text": "Ada knows Eve."})
        database = world.citegraph.database
        with database.open_platform() as platform:
            lease = queue.claim_next_job(
                platform, kinds=["ingest.documents"], worker="test", lease_seconds=60
            )
        assert lease is not None
        with (
            pytest.raises(RuntimeError),
            database.open_space(guest.home.tenant_id, guest.home.space_id) as space,
        ):
            finish(space, lease, "done", None)
            raise RuntimeError
        assert deliveries(world, guest, hook["id"]) == []
        with database.open_space(guest.home.tenant_id, guest.home.space_id) as space:
            queue.cancel_job(space, JobId(lease.job_id))

    def test_a_budget_is_told_once_a_month_and_a_failure_each_time(
        self, world: World, guest: Account, receiver: Receiver
    ) -> None:
        hook = add(world, guest, receiver, "budget.reached", "job.failed")
        database = world.citegraph.database
        for state, code in (("queued", "budget_exhausted"), ("queued", "budget_exhausted"), ("failed", "x")):
            world.http.post(
                f"{guest.space}/documents", headers=guest.bearer(), json={"text": f"Ada {time.time()}."}
            )
            with database.open_platform() as platform:
                lease = queue.claim_next_job(
                    platform, kinds=["ingest.documents"], worker="test", lease_seconds=60
                )
            assert lease is not None
            with database.open_space(guest.home.tenant_id, guest.home.space_id) as space:
                finish(space, lease, state, code)
        assert sorted(delivery["event"] for delivery in deliveries(world, guest, hook["id"])) == [
            "budget.reached",
            "job.failed",
        ]

    def test_a_conflict_is_told_with_its_node(self, world: World, guest: Account, receiver: Receiver) -> None:
        settings = {"single_valued_relations": ["created"], "supersede_by_date": False}
        changed = world.http.patch(guest.space, headers=guest.bearer(), json={"settings": settings})
        assert changed.status_code == 200, changed.text
        hook = add(world, guest, receiver, "conflict.found")
        ingest(world, guest, "Michael Stonebraker created Ingres.")
        assert deliveries(world, guest, hook["id"]) == []
        ingest(world, guest, "Michael Stonebraker created Postgres.")
        (told,) = deliveries(world, guest, hook["id"])
        (conflict,) = told["data"]["conflicts"]
        assert conflict["relation_type"] == "created"
        UUID(conflict["node_id"])


class TestFailures:
    @pytest.fixture(autouse=True)
    def rests(self, monkeypatch: pytest.MonkeyPatch) -> list[float]:
        """Minutes instead of seconds: none ends while a test looks, however busy the machine is."""
        longer = [60 * seconds for seconds in delivery_retries.PAUSES_SECONDS]
        monkeypatch.setattr(delivery_retries, "PAUSES_SECONDS", longer)
        return longer

    def test_one_that_is_refused_is_tried_again_later_under_the_same_id(
        self, world: World, guest: Account, receiver: Receiver, superuser: Any
    ) -> None:
        hook = add(world, guest, receiver)
        webhook = f"/v1/webhooks/{hook['id']}"
        assert world.http.post(f"{webhook}/test", headers=guest.bearer()).status_code == 202
        receiver.status = 500
        deliver(world, receiver)
        (told,) = deliveries(world, guest, hook["id"])
        assert (told["state"], told["attempts"], told["last_status"]) == ("pending", 1, 500)
        assert world.http.get(webhook, headers=guest.bearer()).json()["failing_since"]
        # An hour more, for a machine on which the next line is reached seconds later.
        (is_later,) = superuser.execute(
            "UPDATE webhook_delivery SET next_at = next_at + interval '1 hour' WHERE id = %s"
            " RETURNING next_at - created_at > interval '1 hour 5 seconds'",
            [told["id"]],
        ).fetchone()
        assert is_later
        assert deliver(world, receiver) == 0, "not before its time"
        hurry(superuser, guest.home.tenant_id)
        receiver.status = 204
        assert deliver(world, receiver) == 1
        (told,) = deliveries(world, guest, hook["id"])
        assert (told["state"], told["attempts"], told["last_status"]) == ("delivered", 2, 204)
        assert world.http.get(webhook, headers=guest.bearer()).json()["failing_since"] is None
        first, second = receiver.got
        assert first[0]["webhook-id"] == second[0]["webhook-id"] == told["id"]
        assert first[1] == second[1]
        replayed = world.http.post(f"{webhook}/deliveries/{told['id']}/replay", headers=guest.bearer())
        assert (replayed.status_code, replayed.json()["state"]) == (202, "pending")
        assert deliver(world, receiver) == 1
        assert receiver.got[-1][0]["webhook-id"] == told["id"]

    def test_a_tenants_servers_that_fail_keep_no_other_tenants_messages_waiting(
        self, world: World, guest: Account, receiver: Receiver, superuser: Any
    ) -> None:
        """However many it has, and however much older they are."""
        hooks = [add(world, guest, receiver)["id"] for _ in range(6)]
        superuser.execute("UPDATE webhook SET failing_since = now() WHERE id = ANY(%s)", [hooks])
        for hook in hooks:
            world.http.post(f"/v1/webhooks/{hook}/test", headers=guest.bearer())
        other = add(world, world.b, receiver)["id"]
        world.http.post(f"/v1/webhooks/{other}/test", headers=world.b.bearer())
        with world.citegraph.database.open_platform() as platform:
            first = webhooks.lease_due_messages_of_distinct_tenants(platform, limit=1)
            rest = webhooks.lease_due_messages_of_distinct_tenants(platform, limit=4)
        assert [delivery.webhook_id for delivery in first] == [other]
        assert [delivery.tenant_id for delivery in rest].count(guest.home.tenant_id) == 1, "one at a time"
        world.http.delete(f"/v1/webhooks/{other}", headers=world.b.bearer())

    def test_a_redirect_is_not_followed(self, world: World, guest: Account, receiver: Receiver) -> None:
        hook = add(world, guest, receiver)
        world.http.post(f"/v1/webhooks/{hook['id']}/test", headers=guest.bearer())
        receiver.status = 307
        deliver(world, receiver)
        assert len(receiver.got) == 1
        assert deliveries(world, guest, hook["id"])[0]["last_status"] == 307

    def test_a_week_of_failures_disables_it_until_somebody_enables_it(
        self, world: World, guest: Account, receiver: Receiver, superuser: Any
    ) -> None:
        hook = add(world, guest, receiver)
        webhook = f"/v1/webhooks/{hook['id']}"
        superuser.execute(
            "UPDATE webhook SET failing_since = now() - interval '8 days' WHERE id = %s", [hook["id"]]
        )
        world.http.post(f"{webhook}/test", headers=guest.bearer())
        receiver.status = 500
        deliver(world, receiver)
        shown = world.http.get(webhook, headers=guest.bearer()).json()
        assert shown["disabled_at"]
        assert shown["disabled_reason"] == "failing"
        assert world.http.post(f"{webhook}/test", headers=guest.bearer()).json()["code"] == "webhook_disabled"
        entries = world.http.get("/v1/audit?action=webhook.disable", headers=guest.bearer()).json()["items"]
        assert [entry["target_id"] for entry in entries] == [str(hook["id"])]
        enabled = world.http.patch(webhook, headers=guest.bearer(), json={"enabled": True})
        assert enabled.json()["disabled_at"] is None
        assert enabled.json()["disabled_reason"] is None

    def test_a_server_that_says_it_is_gone_disables_it_at_once(
        self, world: World, guest: Account, receiver: Receiver
    ) -> None:
        """Review C1."""
        webhook = f"/v1/webhooks/{add(world, guest, receiver)['id']}"
        world.http.post(f"{webhook}/test", headers=guest.bearer())
        receiver.status = 410
        deliver(world, receiver)
        assert world.http.get(webhook, headers=guest.bearer()).json()["disabled_reason"] == "gone"

    def test_a_dead_server_is_asked_once_a_rest_however_much_waits(
        self, world: World, guest: Account, receiver: Receiver, superuser: Any, rests: list[float]
    ) -> None:
        """Review C1: the rests grow to ten minutes, and a success ends them."""
        assert rests[-1] == 60 * 600
        webhook = f"/v1/webhooks/{add(world, guest, receiver)['id']}"
        for _ in range(10):
            world.http.post(f"{webhook}/test", headers=guest.bearer())
        # Another tenant's message is due as well, like those that other tests leave.
        other = f"/v1/webhooks/{add(world, world.b, Receiver(port=9))['id']}"
        world.http.post(f"{other}/test", headers=world.b.bearer())
        receiver.status = 500
        for tries, rest in enumerate([*rests, rests[-1]], start=1):
            hurry(superuser, guest.home.tenant_id)
            assert deliver(world, receiver) == 1
            assert len(receiver.got) == tries
            (seconds,) = superuser.execute(
                "SELECT extract(epoch FROM retry_at - now()) FROM webhook WHERE tenant_id = %s",
                [guest.home.tenant_id],
            ).fetchone()
            assert rest - 60 < seconds <= rest
        receiver.status = 200
        hurry(superuser, guest.home.tenant_id)
        assert deliver(world, receiver) == 10
        assert world.http.get(webhook, headers=guest.bearer()).json()["retry_at"] is None
        world.http.delete(other, headers=world.b.bearer())

    def test_a_new_secret_signs_beside_the_old_one(
        self, world: World, guest: Account, receiver: Receiver
    ) -> None:
        hook = add(world, guest, receiver)
        webhook = f"/v1/webhooks/{hook['id']}"
        new = world.http.post(f"{webhook}/rotate", headers=guest.bearer()).json()["secret"]
        assert new != hook["secret"]
        world.http.post(f"{webhook}/test", headers=guest.bearer())
        deliver(world, receiver)
        headers, body = receiver.got[0]
        stamp = int(headers["webhook-timestamp"])
        assert headers["webhook-signature"].split() == [
            sign_message(secret, headers["webhook-id"], stamp, body) for secret in (new, hook["secret"])
        ]
        assert "secret" not in world.http.get(webhook, headers=guest.bearer()).json()


PRIVATE = [
    "127.0.0.1", "10.0.0.1", "172.16.3.4", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0",
    "192.0.0.192", "198.18.0.1", "224.0.0.1", "255.255.255.255", "::1", "::", "fe80::1", "fc00::1",
    "fd00:ec2::254",
    "::ffff:127.0.0.1", "::ffff:169.254.169.254", "::127.0.0.1", "64:ff9b::7f00:1", "64:ff9b:1::a00:1",
    "2002:7f00:1::", "2001:0:4136:e378::1", "fec0::1", "ff02::1", "fe80::1%eth0",
]  # fmt: skip


class TestAddresses:
    @pytest.mark.parametrize("address", PRIVATE)
    def test_private_ones_are_refused_after_the_lookup(self, address: str) -> None:
        with pytest.raises(RefusedAddress):
            check_public_ip_address(address)
        target = parse_and_check_webhook_url("https://innocent.example/", NOBODY)
        with pytest.raises(RefusedAddress):
            resolve_to_public_addresses(target, NOBODY, lambda *_: ["93.184.215.14", address])
        found = post_signed_message("https://innocent.example/", "m", b"{}", (), look_up=lambda *_: [address])
        assert (found.status, found.error) == (None, "address_refused")

    @pytest.mark.parametrize("address", ["93.184.215.14", "8.8.8.8", "2606:2800:21f:cb07::b2c"])
    def test_public_addresses_are_accepted(self, address: str) -> None:
        target = parse_and_check_webhook_url("https://example.com/", NOBODY)
        assert resolve_to_public_addresses(target, NOBODY, lambda *_: [address]) == [address]

    @pytest.mark.parametrize(
        "url",
        [
            "http://example.com/", "ftp://example.com/", "https://", "https://user:pw@example.com/",
            "https://a b/",            "https://example.com/#x", "https://exämple.com/", "https://example.com:99999/",
            "https://a/\r\nX: y",            "javascript:alert(1)", "https://" + "a" * 3_000,
            "https://127.0.0.1/", "https://2130706433/", "https://0x7f.1/", "https://0177.0.0.1/",
            "https://169.254.169.254/latest/meta-data", "https://10.1.2.3:8443/x", "https://[::1]/",
            "https://[::ffff:10.0.0.1]/", "https://[fe80::1%25eth0]/", "https://localhost/",
            "https://LOCALHOST./", "https://a.localhost/", "https://example.com:0/",
        ],
    )  # fmt: skip
    def test_no_plain_public_https_address(self, world: World, guest: Account, url: str) -> None:
        answer = world.http.post(
            "/v1/webhooks", headers=guest.bearer(), json={"url": url, "events": ["job.done"]}
        )
        assert answer.status_code == 422
        with pytest.raises(RefusedAddress):
            parse_and_check_webhook_url(url, NOBODY)

    @pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "2130706433", "0x7f.1", "[::1]"])
    def test_every_spelling_of_this_machine(self, receiver: Receiver, host: str) -> None:
        found = post_signed_message(f"https://{host}:{receiver.port}/", "m", b"{}", ())
        assert found.error in ("address_refused", "unknown_host")
        assert receiver.got == []

    def test_a_name_that_leads_elsewhere_at_the_second_lookup_is_not_asked_twice(
        self, receiver: Receiver
    ) -> None:
        asked: list[str] = []

        def rebinding(host: str, _port: int) -> list[str]:
            asked.append(host)
            return ["127.0.0.1"] if len(asked) == 1 else ["10.0.0.1"]

        listed = frozenset({f"innocent.example:{receiver.port}"})
        found = post_signed_message(
            f"http://innocent.example:{receiver.port}/",
            "m",
            b"{}",
            (),
            allowed_hosts=listed,
            look_up=rebinding,
        )
        assert (found.status, asked) == (200, ["innocent.example"])
        assert receiver.got[0][0]["host"] == f"innocent.example:{receiver.port}"


def test_a_tenant_has_twenty_at_most(world: World, guest: Account) -> None:
    body = {"url": "https://example.com/hook", "events": ["job.done"]}
    answers = [world.http.post("/v1/webhooks", headers=guest.bearer(), json=body) for _ in range(21)]
    assert [answer.status_code for answer in answers] == [201] * 20 + [429]
    assert answers[-1].json()["quota"] == "webhooks"
