"""No page shows one tenant's user anything of another, and a viewer changes nothing, over every route."""

import re
from uuid import uuid4

import pytest
from fastapi.routing import APIRoute

from app.dashboard.app import ROUTERS
from tests.api.conftest import World
from tests.dashboard.conftest import Browser

# Of the visitor alone: whoever may ask may also forget what they asked.
OWN = ("/ask/forget",)


def paths(world: World, method: str, of: str = "{space_id}") -> list[str]:
    """Every route of pages about a space, or about a tenant, that takes the method; things of tenant B."""
    values = {
        "tenant_id": world.b.tenant_id,
        "space_id": world.b.space_id,
        "document_id": world.b.document_id,
        "chunk_id": world.b.chunk_id,
        "job_id": world.b.job_id,
        "node_id": world.b.node_id,
        "edge_id": world.b.edge_id,
        "community_id": world.b.community_id,
        "one_id": world.b.node_id,
        "other_id": world.b.node_id,
    }
    routes = [each for router in ROUTERS for each in router.routes if isinstance(each, APIRoute)]
    found = [
        re.sub(r"{(\w+)}", lambda name: str(values.get(name[1], uuid4())), route.path)
        for route in routes
        if method in (route.methods or ()) and of in route.path
    ]
    assert found or method == "POST"
    return found


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_another_tenants_pages_are_not_found(world: World, admin: Browser, method: str) -> None:
    for path in paths(world, method):
        answer = admin.http.request(
            method, path, data={"csrf": admin.csrf} if method == "POST" else None, follow_redirects=False
        )
        assert answer.status_code == 404, (path, answer.status_code)
        assert world.b.canary not in answer.text


def test_a_viewer_changes_nothing(world: World, viewer: Browser) -> None:
    for path in paths(world, "POST"):
        if path.endswith(OWN):
            continue
        own = path.replace(str(world.b.space_id), str(world.a.space_id))
        answer = viewer.http.post(own, data={"csrf": viewer.csrf}, follow_redirects=False)
        assert answer.status_code == 403, (own, answer.status_code)


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_another_tenants_own_pages_are_not_found(world: World, admin: Browser, method: str) -> None:
    for path in paths(world, method, "{tenant_id}"):
        answer = admin.http.request(
            method, path, data={"csrf": admin.csrf} if method == "POST" else None, follow_redirects=False
        )
        assert answer.status_code == 404, (path, answer.status_code)
        assert world.b.canary not in answer.text


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_pages_of_a_tenant_are_for_its_admins(world: World, viewer: Browser, method: str) -> None:
    for path in paths(world, method, "{tenant_id}"):
        own = path.replace(str(world.b.tenant_id), str(world.a.tenant_id))
        answer = viewer.http.request(
            method, own, data={"csrf": viewer.csrf} if method == "POST" else None, follow_redirects=False
        )
        assert answer.status_code == 403, (own, answer.status_code)


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_pages_of_the_installation_are_for_operators(world: World, admin: Browser, method: str) -> None:
    for path in paths(world, method, "/operator"):
        answer = admin.http.request(
            method, path, data={"csrf": admin.csrf} if method == "POST" else None, follow_redirects=False
        )
        assert answer.status_code == 403, (path, answer.status_code)


def test_own_pages_show_the_own_space(world: World, admin: Browser, stranger: Browser) -> None:
    assert "library" in admin.get(f"/dashboard/spaces/{world.a.space_id}")
    page = stranger.get("/dashboard?all=1")
    assert str(world.b.space_id) in page
    assert str(world.a.space_id) not in page
