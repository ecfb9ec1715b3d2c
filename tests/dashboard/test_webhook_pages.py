"""Webhooks on pages: an admin adds one, sees its secret once and what was sent, and sends again."""

import re
from uuid import UUID, uuid4

import pytest

from app.jobs.webhooks import service as webhooks
from app.jobs.webhooks.sender import DeliveryResult
from app.tenancy.accounts.roles import Role
from app.tenancy.audit import service as audit
from app.tenancy.audit.shapes import AuditFilter
from tests.api.conftest import World
from tests.conftest import Home, make_home
from tests.dashboard.conftest import Browser
from tests.dashboard.test_tenant_pages import enter

URL = "https://hooks.example.com/told?by=citegraph"


@pytest.fixture(scope="module")
def own(world: World) -> Home:
    """A tenant of these tests' own."""
    return make_home(world.citegraph.database, f"hooks-{uuid4().hex[:8]}")


@pytest.fixture(scope="module")
def admin(world: World, own: Home) -> Browser:
    return enter(world, own, "ada@hooks.example", Role.ADMIN)


@pytest.fixture(scope="module")
def base(own: Home) -> str:
    return f"/dashboard/tenants/{own.tenant_id}/webhooks"


def secret_in(page: str) -> str | None:
    found = re.search(r'value="(whsec_[^"]+)"', page)
    return None if found is None else found[1]


def try_to_send(world: World, own: Home, sent: DeliveryResult) -> int:
    """Let a worker's try of everything that is due end like this; how many there were."""
    count = 0
    with world.citegraph.database.open_platform() as platform:
        for due in webhooks.lease_due_messages_of_distinct_tenants(platform, limit=100):
            if due.tenant_id == own.tenant_id:
                webhooks.record_delivery_attempt(platform, due, sent)
                count += 1
    return count


def added(world: World, own: Home, admin: Browser, base: str) -> str:
    """The page of a new webhook."""
    admin.get(base)
    page = admin.post(base, status=200, url=URL, events="job.done")
    found = re.search(rf"{base}/([0-9a-f-]{{36}})/test", page)
    assert found is not None
    return f"{base}/{found[1]}"


def test_a_webhook_is_added_and_its_secret_shown_once(
    world: World, own: Home, admin: Browser, base: str
) -> None:
    assert "No webhook yet" in admin.get(base)
    page = admin.post(base, status=200, url=URL, events="conflict.found")
    secret = secret_in(page)
    assert secret is not None
    found = re.search(rf"{base}/([0-9a-f-]{{36}})/test", page)
    assert found is not None
    place = f"{base}/{found[1]}"
    for path in (base, place):
        shown = admin.get(path)
        assert "conflict.found" in shown
        assert URL in shown
        assert "whsec_" not in shown
    with world.citegraph.database.open_tenant(own.tenant_id) as tenant:
        assert webhooks.get_webhook(tenant, UUID(found[1])).secret == secret
        entries = audit.list_entries(tenant, AuditFilter(action="webhook.add"))
    assert [str(entry.target_id) for entry in entries] == [found[1]]
    # A new one signs beside the old for a day, and is shown once as well.
    again = secret_in(admin.post(f"{place}/rotate", status=200))
    assert again not in (None, secret)
    assert "whsec_" not in admin.get(place)


@pytest.mark.parametrize(
    "fields",
    [
        {"url": "http://hooks.example.com/", "events": "job.done"},
        {"url": "https://ada:secret@hooks.example.com/", "events": "job.done"},
        {"url": "https://hooks.example.com/"},
    ],
    ids=["plain http", "a password in it", "no event"],
)
def test_what_cannot_be_told_is_refused_with_a_reason(
    admin: Browser, base: str, fields: dict[str, str]
) -> None:
    before = admin.get(base).count(f'href="{base}/')
    page = admin.post(base, status=422, **fields)
    assert 'role="alert"' in page
    # The form has what was typed, to be mended.
    assert f'value="{fields["url"]}"' in page
    assert admin.get(base).count(f'href="{base}/') == before


def test_messages_are_shown_with_their_tries_and_sent_again(
    world: World, own: Home, admin: Browser, base: str
) -> None:
    place = added(world, own, admin, base)
    admin.get(place)
    admin.post(f"{place}/test")
    assert "waits for a worker" in admin.get(place)
    assert try_to_send(world, own, DeliveryResult(None, "unknown_host")) == 1
    page = admin.get(place)
    assert "its name is not known" in page
    assert "failing" in page
    message = re.search(r"<code>([0-9a-f-]{36})</code>", page)
    assert message is not None
    # It waits for its next try: nobody sends it twice at once.
    assert f"{message[1]}/replay" not in page
    assert "waits to be sent already" in admin.post(f"{place}/deliveries/{message[1]}/replay", status=409)
    with world.citegraph.database.open_platform() as platform:
        platform.connection.execute(
            "UPDATE webhook_delivery SET next_at = now(), leased_until = NULL WHERE id = %s", [message[1]]
        )
        platform.connection.execute("UPDATE webhook SET retry_at = NULL")
        platform.connection.execute("UPDATE webhook_queue SET due_at = now()")
    assert try_to_send(world, own, DeliveryResult(204, None)) == 1
    page = admin.get(place)
    assert "HTTP 204" in page
    assert "delivered" in page
    assert 'badge-good">active' in page
    assert "failing" not in page
    admin.post(f"{place}/deliveries/{message[1]}/replay")
    page = admin.get(place)
    assert "waits for a worker" in page
    assert page.count(message[1]) == 1


def test_disabled_it_is_sent_nothing_and_says_so(world: World, own: Home, admin: Browser, base: str) -> None:
    place = added(world, own, admin, base)
    admin.get(place)
    admin.post(f"{place}/disable")
    page = admin.get(place)
    assert "Nothing is sent" in page
    assert f"{place}/test" not in page
    assert "disabled" in admin.post(f"{place}/test", status=409)
    assert "disabled" in admin.get(base)
    admin.post(f"{place}/enable")
    assert f"{place}/test" in admin.get(place)
    admin.post(f"{place}/remove")
    admin.get(place, status=404)
    with world.citegraph.database.open_tenant(own.tenant_id) as tenant:
        acts = {entry.action for entry in audit.list_entries(tenant, AuditFilter(action="webhook"))}
    assert {"webhook.disable", "webhook.enable", "webhook.remove"} <= acts


def test_messages_are_paged(
    world: World, own: Home, admin: Browser, base: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.dashboard.tenant.webhooks.PAGE_SIZE", 2)
    place = added(world, own, admin, base)
    admin.get(place)
    for _ in range(5):
        admin.post(f"{place}/test")
    seen: list[str] = []
    path: str | None = place
    while path is not None:
        page = admin.get(path)
        seen += re.findall(r"<code>([0-9a-f-]{36})</code>", page)
        older = re.search(r'href="(\?after=[^"]+)">Older', page)
        path = f"{place}{older[1].replace('&amp;', '&')}" if older else None
    assert len(seen) == len(set(seen)) == 5
