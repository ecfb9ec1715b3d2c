"""Two visitors with the same page: who comes second learns what changed and loses nothing (review B10)."""

import re
from html.parser import HTMLParser
from urllib.parse import urljoin, urlsplit
from uuid import uuid4

import pytest

from app.dashboard.stale_forms import SEEN_VERSION_FIELD
from app.graph import service as graph
from app.http.authentication import DASHBOARD_PATH
from app.jobs.webhooks import service as webhooks
from app.tenancy.accounts import service as accounts
from tests.api.conftest import World
from tests.conftest import Home
from tests.dashboard.conftest import BASE, Browser, browser_of
from tests.dashboard.test_every_button import fill
from tests.support.dashboard_pages import find_pages

# Forms that add something, start or stop work, or decide what its state alone allows: they overwrite nothing.
# Every other form must carry a version.
ADDS = (
    r"/sign-out",
    # It asks for the password that stands, where one does.
    r"/password",
    r"/ask/forget",
    r"/documents(/retry-failed|/[^/]+/retry)?",
    r"/jobs/[^/]+/(cancel|retry)",
    r"/(communities/detect|summaries/refresh|walls/examine|examples)",
    r"/curation/(merge|apart|reconsider|(merges|splits)/[^/]+/undo)",
    r"/(webhooks|keys|spaces|operator/tenants|members/invite)",
    r"/webhooks/[^/]+/deliveries/[^/]+/replay",
    r"/members/invitations/[^/]+/withdraw",
    r"/keys/[^/]+/revoke",
    # Its own preview says which version stands, and a later one is shown before it is replaced.
    r"/documents/[^/]+/version",
    r"/trials(/[^/]+/(promote|drop))?",
    # A question is known by its words; whoever adds it again says what is expected from now on.
    r"/golden/(runs|questions(/[^/]+/remove)?)",
)


class Forms(HTMLParser):
    """The forms of a page that change something, with their fields."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.all: list[tuple[str, dict[str, str]]] = []
        self._open = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            self._open = given.get("method") == "post"
            if self._open:
                self.all.append((given.get("action", ""), {}))
        elif tag == "input" and self._open and "name" in given:
            self.all[-1][1][given["name"]] = given.get("value", "")

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._open = False

    def of(self, action: str) -> dict[str, str]:
        """The fields of the form that is sent there."""
        return next(fields for target, fields in self.all if target.endswith(action))


@pytest.fixture(scope="module")
def home(world: World) -> Home:
    return fill(world.citegraph)


def entered(world: World, home: Home, name: str) -> Browser:
    """A browser in which an operator of that name is signed in, who is an admin of the tenant."""
    browser = browser_of(world)
    with world.citegraph.database.open_tenant(home.tenant_id) as tenant:
        token = accounts.create_operator_link_token(
            tenant, email=f"{name}-{uuid4().hex[:8]}@example.org", actor="test"
        )
    browser.get(f"/dashboard/links/{token}")
    browser.post(f"/dashboard/links/{token}")
    browser.get("/dashboard?all=1")
    return browser


@pytest.fixture(scope="module")
def first(world: World, home: Home) -> Browser:
    return entered(world, home, "first")


@pytest.fixture(scope="module")
def second(world: World, home: Home) -> Browser:
    return entered(world, home, "second")


@pytest.mark.soak
def test_every_form_that_overwrites_something_carries_what_it_showed(
    world: World, home: Home, first: Browser
) -> None:
    with world.citegraph.database.open_tenant(home.tenant_id) as tenant:
        webhooks.add_webhook(
            tenant, url="https://example.com/x", events=["job.done"], actor="t", allowed_hosts=frozenset()
        )

    def fetch(path: str) -> tuple[int, str, str]:
        answer = first.http.get(path, follow_redirects=True)
        return answer.status_code, answer.headers.get("content-type", ""), answer.text

    carrying = set()
    for route, address in find_pages(fetch).items():
        for action, fields in Forms(first.get(address)).all:
            path = urlsplit(urljoin(BASE, action)).path
            if any(re.search(f"{pattern}$", path) for pattern in ADDS):
                continue
            assert fields.get(SEEN_VERSION_FIELD), (
                f"{action} of {route} overwrites something and carries no version"
            )
            carrying.add(re.sub(r"[0-9a-f-]{36}", "…", path))
    assert len(carrying) >= 15, carrying


def sent(browser: Browser, path: str, fields: dict[str, str], *, status: int = 303) -> str:
    """The answer to a form that was read from a page."""
    answer = browser.http.post(
        path, data={**fields, "csrf": browser.csrf}, headers={"origin": BASE}, follow_redirects=False
    )
    assert answer.status_code == status, (path, answer.status_code, answer.text[:500])
    return answer.text


def changed(browser: Browser, path: str, fields: dict[str, str], **typed: str) -> dict[str, str]:
    """Send a form of a page that is out of date; returns what its answer would send again."""
    answer = sent(browser, path, {**fields, **typed}, status=412)
    assert "Somebody changed it meanwhile" in answer
    return {**Forms(answer).of(path), "answer": answer}


class TestTwoVisitors:
    def test_both_changes_of_settings_stand(self, home: Home, first: Browser, second: Browser) -> None:
        path = f"{DASHBOARD_PATH}/spaces/{home.space_id}/settings"
        page = Forms(first.get(path)).of("/settings")
        sent(second, path, Forms(second.get(path)).of("/settings") | {"gleanings": "2"})
        again = changed(first, path, page, budget_usd="7.5")
        assert "gleanings" in again["answer"].lower()
        assert (again["gleanings"], again["budget_usd"]) == ("2", "7.5")
        sent(first, path, {name: text for name, text in again.items() if name != "answer"})
        after = Forms(first.get(path)).of("/settings")
        assert (after["gleanings"], float(after["budget_usd"])) == ("2", 7.5)

    def test_who_comes_second_overwrites_nothing_unseen(
        self, world: World, home: Home, first: Browser, second: Browser
    ) -> None:
        """Names of spaces, nodes and tenants, tags, quotas and roles."""
        database = world.citegraph.database
        with database.open_space(home.tenant_id, home.space_id) as space:
            node = graph.list_nodes(space)[0]
        entered(world, home, "third")
        with database.open_tenant(home.tenant_id) as tenant:
            (member,) = (
                listed.account_id
                for listed in accounts.list_members(tenant)
                if listed.email.startswith("third-")
            )
        spaces_path = f"{DASHBOARD_PATH}/spaces/{home.space_id}"
        tenant_path = f"{DASHBOARD_PATH}/operator/tenants/{home.tenant_id}"
        for page, action, field, texts in (
            (f"{spaces_path}/curation/nodes/{node.id}", "/name", "name", ("Countess", "Baroness")),
            (f"{spaces_path}/curation/nodes/{node.id}", "/tags", "tags", ("poet", "pioneer")),
            (f"{spaces_path}/settings", "/settings/name", "name", ("One", "Two")),
            (tenant_path, "/name", "name", (f"One {uuid4().hex[:6]}", f"Two {uuid4().hex[:6]}")),
            (tenant_path, "/quotas", "documents", ("700", "800")),
            (
                f"{DASHBOARD_PATH}/tenants/{home.tenant_id}/members",
                f"/members/{member}/role",
                "role",
                ("viewer", "editor"),
            ),
        ):
            seen, other = Forms(first.get(page)).of(action), Forms(second.get(page)).of(action)
            path = next(target for target, _ in Forms(first.get(page)).all if target.endswith(action))
            sent(second, path, other | {field: texts[0]})
            again = changed(first, path, seen, **{field: texts[1]})
            assert texts[0] in again["answer"], page
            assert again[field] == texts[1], page
            sent(first, path, {name: text for name, text in again.items() if name != "answer"})

    def test_the_answer_shows_no_secret(self, world: World, home: Home, first: Browser) -> None:
        with world.citegraph.database.open_tenant(home.tenant_id) as tenant:
            made = webhooks.add_webhook(
                tenant, url="https://example.com/y", events=["job.done"], actor="t", allowed_hosts=frozenset()
            )
            secret, path = made.secret, f"{DASHBOARD_PATH}/tenants/{home.tenant_id}/webhooks/{made.id}"
        page = Forms(first.get(path))
        with world.citegraph.database.open_tenant(home.tenant_id) as tenant:
            secret_now = webhooks.rotate_secret(tenant, made.id, actor="t").secret
        again = changed(first, f"{path}/disable", page.of("/disable"))
        assert secret not in again["answer"]
        assert secret_now not in again["answer"]
