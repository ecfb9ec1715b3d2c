"""No page shows one tenant's user anything of another, and a viewer changes nothing, over every route.

The walks are made of the routes themselves: one that takes something without a value in
`tests/support/dashboard_walls.py`, or stands outside the kinds there, fails here.
"""

from importlib import import_module
from pkgutil import walk_packages
from typing import Any

import pytest
from fastapi import APIRouter
from fastapi.routing import APIRoute

from app import dashboard
from app.dashboard.app import ROUTERS
from tests.api.conftest import World
from tests.dashboard.conftest import BASE, Browser, browser_of
from tests.support.dashboard_walls import (
    KINDS,
    OF_NOBODY,
    Things,
    contents,
    every_route,
    form_of,
    kind_of,
    names_a_thing,
    names_in,
    path_of,
    query_of,
    routes,
    things_of,
)

METHODS = ("GET", "POST")
# Of the visitor alone: whoever may ask may also forget what they asked.
OWN = ("/ask/forget",)
# A stream without an end: `test_jobs.py` reads it. That of another tenant's space is not found, as any page.
ENDLESS = ("/jobs/stream",)
# What reading writes: questions asked, places and pairs worked out once, recalls and their daily counts.
BY_READING = {
    "asked_question",
    "graph_layout",
    "recall",
    "usage_daily",
    "chunk_recall",
    "edge_recall",
}


@pytest.fixture(scope="session")
def ours(world: World, admin: Browser) -> Things:
    """The things of tenant A."""
    return things_of(world, world.a)


@pytest.fixture(scope="session")
def theirs(world: World, stranger: Browser) -> Things:
    """The things of tenant B."""
    return things_of(world, world.b)


@pytest.fixture(autouse=True)
def seen_long_ago(world: World) -> None:
    """Have the first request of a session write when it was seen, as one does each minute."""
    with world.citegraph.database.open_platform() as platform:
        platform.connection.execute("UPDATE dashboard_session SET last_seen_at = now() - interval '1 hour'")


def send(
    browser: Browser, method: str, route: APIRoute, path: str, things: Things, *, fragment: bool = False
) -> Any:
    """The answer to the route at this path, with every value that it takes."""
    form = {"csrf": browser.csrf, **form_of(route, things)} if method == "POST" else None
    headers = {"origin": BASE} if method == "POST" else {}
    if fragment:
        headers |= {"hx-request": "true", "x-csrf-token": browser.csrf}
    return browser.http.request(
        method, path, params=query_of(route, things), data=form, headers=headers, follow_redirects=False
    )


def assert_nothing_of(things: Things, text: str, where: str) -> None:
    """Fail where the text holds a word or an id of the tenant that the request did not send itself."""
    letter = things.account.letter
    for word in (things.account.canary, f"Secret{letter}Corp", f"Hidden{letter}Engine"):
        assert word not in text, (where, word)


def test_every_route_is_of_one_kind_and_has_values(ours: Things) -> None:
    modules = (
        import_module(package.name) for package in walk_packages(dashboard.__path__, f"{dashboard.__name__}.")
    )
    defined = [value for module in modules for value in vars(module).values() if isinstance(value, APIRouter)]
    assert {id(router) for router in defined} == {id(router) for router in ROUTERS}
    for route in every_route():
        assert route.path in OF_NOBODY or kind_of(route) in KINDS
        assert set(route.methods or ()) <= set(METHODS), route.path
        if kind_of(route) is not None:
            path_of(route, ours)
        if route.path not in OF_NOBODY:
            query_of(route, ours)
            form_of(route, ours)


@pytest.mark.parametrize("fragment", [False, True], ids=["page", "fragment"])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kind", ["space", "tenant"])
def test_another_tenants_pages_are_not_found(
    world: World, admin: Browser, theirs: Things, kind: str, method: str, fragment: bool
) -> None:
    before = contents(world, world.b)
    for route in routes(kind, method):
        path = path_of(route, theirs)
        answer = send(admin, method, route, path, theirs, fragment=fragment)
        assert answer.status_code == 404, (path, answer.status_code)
        assert_nothing_of(theirs, answer.text, path)
    assert contents(world, world.b) == before


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kind", ["space", "tenant"])
def test_ids_of_another_tenant_lead_nowhere_in_the_own_place(
    world: World, admin: Browser, ours: Things, theirs: Things, kind: str, method: str
) -> None:
    before = contents(world, world.b)
    for route in routes(kind, method):
        if method == "POST" and not names_a_thing(route):
            continue
        path = path_of(route, ours, theirs)
        if path.endswith(ENDLESS):
            continue
        answer = send(admin, method, route, path, theirs)
        assert_nothing_of(theirs, answer.text, path)
        if method == "POST":
            assert answer.status_code in (404, 422), (path, answer.status_code)
        elif names_in(route) - {"space_id", "tenant_id"} and not path.endswith("/stream"):
            assert answer.status_code == 404, (path, answer.status_code)
    assert contents(world, world.b) == before


@pytest.mark.parametrize("fragment", [False, True], ids=["page", "fragment"])
def test_own_pages_show_nothing_of_another(
    world: World, admin: Browser, ours: Things, theirs: Things, fragment: bool
) -> None:
    shown = 0
    for route in [route for kind in ("space", "tenant") for route in routes(kind, "GET")]:
        path = path_of(route, ours)
        if path.endswith(ENDLESS):
            continue
        answer = send(admin, "GET", route, path, ours, fragment=fragment)
        assert answer.status_code < 500, (path, answer.status_code)
        shown += answer.status_code == 200
        assert_nothing_of(theirs, answer.text, path)
        for thing in theirs.ids.values():
            assert str(thing) not in answer.text, (path, thing)
    assert shown > 30


@pytest.mark.parametrize("fragment", [False, True], ids=["page", "fragment"])
def test_a_viewer_changes_nothing(world: World, viewer: Browser, ours: Things, fragment: bool) -> None:
    before = contents(world, world.a)
    for route in routes("space", "POST") + routes("tenant", "POST"):
        path = path_of(route, ours)
        if path.endswith(OWN):
            continue
        answer = send(viewer, "POST", route, path, ours, fragment=fragment)
        assert answer.status_code == 403, (path, answer.status_code)
    changed = {name for name, digest in contents(world, world.a).items() if digest != before[name]}
    assert changed <= {"audit_event"}


def test_what_a_viewer_reads_changes_nothing(world: World, viewer: Browser, ours: Things) -> None:
    before = contents(world, world.a)
    for route in routes("space", "GET"):
        path = path_of(route, ours)
        if not path.endswith(ENDLESS):
            assert send(viewer, "GET", route, path, ours).status_code < 500, path
    changed = {name for name, digest in contents(world, world.a).items() if digest != before[name]}
    assert changed <= BY_READING


@pytest.mark.parametrize("method", METHODS)
def test_pages_of_a_tenant_are_for_its_admins(viewer: Browser, ours: Things, method: str) -> None:
    for route in routes("tenant", method):
        path = path_of(route, ours)
        answer = send(viewer, method, route, path, ours)
        assert answer.status_code == 403, (path, answer.status_code)


@pytest.mark.parametrize("method", METHODS)
def test_pages_of_the_installation_are_for_operators(
    world: World, admin: Browser, ours: Things, theirs: Things, method: str
) -> None:
    before = contents(world, world.a), contents(world, world.b)
    for route in routes("operator", method):
        for things in (ours, theirs):
            path = path_of(route, things)
            answer = send(admin, method, route, path, things)
            assert answer.status_code == 403, (path, answer.status_code)
            assert_nothing_of(theirs, answer.text, path)
    assert (contents(world, world.a), contents(world, world.b)) == before


@pytest.mark.parametrize("method", METHODS)
def test_who_is_not_signed_in_sees_and_changes_nothing(world: World, ours: Things, method: str) -> None:
    nobody = browser_of(world)
    before = contents(world, world.a)
    for route in [route for kind in KINDS for route in routes(kind, method)]:
        path = path_of(route, ours)
        answer = send(nobody, method, route, path, ours)
        assert answer.status_code == 303, (path, answer.status_code)
        assert answer.headers["location"].startswith("/dashboard/sign-in"), path
    assert contents(world, world.a) == before


def test_a_form_without_the_token_of_the_session_changes_nothing(
    world: World, admin: Browser, ours: Things
) -> None:
    before = contents(world, world.a)
    for route in routes("space", "POST") + routes("tenant", "POST"):
        path = path_of(route, ours)
        answer = admin.http.post(
            path, data=form_of(route, ours), headers={"origin": BASE}, follow_redirects=False
        )
        assert answer.status_code == 403, (path, answer.status_code)
    assert contents(world, world.a) == before


def test_own_pages_show_the_own_space(world: World, admin: Browser, stranger: Browser) -> None:
    assert "library" in admin.get(f"/dashboard/spaces/{world.a.space_id}")
    page = stranger.get("/dashboard?all=1")
    assert str(world.b.space_id) in page
    assert str(world.a.space_id) not in page
