"""The first minute of a newcomer: spaces with what they hold, examples to load, a picture of the graph."""

import re
from html import escape
from uuid import UUID, uuid4

import pytest

from app.dashboard.answers.suggestions import suggest_questions
from app.dashboard.explorer.preview import build_preview
from app.documents import examples
from app.documents import service as documents
from app.domain.layers import Layer
from app.graph.layout import service as graph_view
from app.graph.layout.shapes import Circle, DrawnGroup, DrawnNode, GraphView
from app.graph.shapes import AggregatedRelation
from app.ids import NodeId, SpaceId, TenantId
from app.tenancy.accounts import service as accounts
from app.tenancy.accounts.roles import Role
from app.tenancy.spaces import service as spaces
from app.tenancy.tenants import api_keys
from app.tenancy.tenants import service as tenants
from tests.api.conftest import World
from tests.dashboard.conftest import PASSWORD, Browser, browser_of


@pytest.fixture
def newcomer(world: World) -> tuple[Browser, TenantId]:
    """An admin of a tenant that has no space yet."""
    with world.citegraph.database.open_platform() as platform:
        tenant_id = TenantId(tenants.create_tenant(platform, name=f"new {uuid4().hex[:8]}", actor="test").id)
    with world.citegraph.database.open_tenant(tenant_id) as tenant:
        token = accounts.create_invitation_link_token(
            tenant, email=f"{uuid4().hex}@n.example", role=Role.ADMIN, actor="test"
        )
    browser = browser_of(world)
    browser.get(f"/dashboard/links/{token}")
    browser.post(f"/dashboard/links/{token}", password=PASSWORD)
    return browser, tenant_id


def test_an_empty_installation_offers_the_examples_and_loads_them(
    world: World, newcomer: tuple[Browser, TenantId]
) -> None:
    browser, tenant_id = newcomer
    page = browser.get("/dashboard")
    assert "Load the examples" in page
    answer = browser.http.post(
        f"/dashboard/tenants/{tenant_id}/examples",
        data={"csrf": browser.csrf},
        headers={"origin": "https://testserver"},
        follow_redirects=False,
    )
    found = re.fullmatch(r"/dashboard/spaces/([0-9a-f-]+)/jobs/[0-9a-f-]+", answer.headers["location"])
    assert answer.status_code == 303
    assert found is not None
    space_id = SpaceId(UUID(found[1]))
    with world.citegraph.database.open_space(tenant_id, space_id) as space:
        held = documents.list_documents(space, limit=100)
    assert len(held) == examples.count_example_documents() > 20
    assert "file:corpus/postgis.html" in {document.source_uri for document in held}
    # A second time nothing is read again, and no second space is made.
    browser.get("/dashboard?all=1")
    browser.post(f"/dashboard/tenants/{tenant_id}/examples")
    with world.citegraph.database.open_tenant(tenant_id) as tenant:
        assert [space.name for space in spaces.list_spaces(tenant)] == [examples.SPACE_NAME]
    listed = browser.get("/dashboard?all=1")
    assert re.search(rf"<strong>{examples.count_example_documents()}</strong> <span[^>]*>documents", listed)


def test_an_empty_space_offers_the_examples_too(world: World, newcomer: tuple[Browser, TenantId]) -> None:
    browser, tenant_id = newcomer
    browser.get("/dashboard")
    browser.post(f"/dashboard/tenants/{tenant_id}/spaces", name="Mine")
    home = browser.get("/dashboard")
    path = re.search(r'action="(/dashboard/spaces/[0-9a-f-]+/examples)"', home)
    assert path is not None
    browser.post(path[1])
    assert "Load the examples" not in browser.get("/dashboard")


def test_the_ask_page_of_an_empty_space_says_that_nothing_can_be_answered(
    world: World, newcomer: tuple[Browser, TenantId]
) -> None:
    browser, tenant_id = newcomer
    browser.get("/dashboard")
    browser.post(f"/dashboard/tenants/{tenant_id}/spaces", name="Mine")
    home = re.search(r"/dashboard/spaces/[0-9a-f-]+", browser.get("/dashboard"))
    assert home is not None
    assert "nothing can be answered" in browser.get(f"{home[0]}/ask")


def test_the_home_has_a_picture_of_the_graph(world: World, viewer: Browser) -> None:
    base = f"/dashboard/spaces/{world.a.space_id}"
    assert f'hx-get="{base}/graph/preview"' in viewer.get(base)
    fragment = viewer.http.get(f"{base}/graph/preview", headers={"hx-request": "true"}).text
    assert fragment.startswith("<svg")
    with world.citegraph.database.open_space(world.a.home.tenant_id, world.a.home.space_id) as space:
        names = {node.name for node in graph_view.build_graph_view(space).nodes}
    assert any(escape(name) in fragment for name in names), "the best known are named"
    assert fragment.count("<circle") > 3
    assert "<html" in viewer.get(f"{base}/graph/preview")


def test_the_picture_has_nodes_of_which_something_is_said_alone(world: World) -> None:
    with world.citegraph.database.open_space(world.a.home.tenant_id, world.a.home.space_id) as space:
        view = graph_view.build_graph_view(space)
    shown = build_preview(view)
    assert len(shown.dots) == sum(1 for node in view.nodes if node.degree)
    places = {(dot.x, dot.y) for dot in shown.dots}
    assert shown.lines
    assert all((x1, y1) in places and (x2, y2) in places for x1, y1, x2, y2 in shown.lines)


def test_names_in_the_picture_keep_clear_of_one_another() -> None:
    def drawn(name: str, x: float, group: int) -> DrawnNode:
        return DrawnNode(NodeId(uuid4()), name, "Organization", 3, 1, 0.9, group, x, 500.0, 8.0)

    nodes = [drawn("Microsoft", 380.0, 0), drawn("Oracle Corporation", 760.0, 1), drawn("IBM", 20.0, 2)]
    shown = build_preview(GraphView(False, 3, nodes=nodes))
    # The first runs to the right, the second to the left, and they would meet.
    assert [label.text for label in shown.labels] == ["Microsoft", "IBM"]


def test_half_a_pair_is_not_in_the_picture() -> None:
    def drawn(x: float, y: float, group: int) -> DrawnNode:
        return DrawnNode(NodeId(uuid4()), "A", "Organization", 3, 1, 0.9, group, x, y, 8.0)

    groups = [
        DrawnGroup(uuid4(), "Large", 0, 9, Circle(500.0, 500.0, 300.0), is_open=True),
        DrawnGroup(uuid4(), "Pair", 0, 2, Circle(800.0, 770.0, 40.0), is_open=True),
    ]
    nodes = [drawn(500.0, 500.0, 0), drawn(770.0, 770.0, 1), drawn(830.0, 770.0, 1)]
    shown = build_preview(GraphView(False, 3, groups=groups, nodes=nodes))
    assert [(dot.x, dot.y) for dot in shown.dots] == [(500.0, 500.0)]


def test_a_large_community_without_claims_is_in_the_picture() -> None:
    def drawn(x: float, degree: int, group: int) -> DrawnNode:
        return DrawnNode(NodeId(uuid4()), "A", "Organization", 3, degree, 0.9, group, x, 500.0, 8.0)

    groups = [
        DrawnGroup(uuid4(), "Named together", 0, 9, Circle(400.0, 500.0, 200.0), is_open=True),
        DrawnGroup(uuid4(), "Pair", 0, 2, Circle(800.0, 500.0, 40.0), is_open=True),
    ]
    nodes = [drawn(400.0, 0, 0), drawn(780.0, 1, 1), drawn(820.0, 1, 1)]
    shown = build_preview(GraphView(False, 3, groups=groups, nodes=nodes))
    assert [(dot.x, dot.y) for dot in shown.dots] == [(400.0, 500.0)]


def relation(kind: str, start: str, end: str) -> AggregatedRelation:
    return AggregatedRelation(NodeId(uuid4()), start, NodeId(uuid4()), end, kind, Layer.CLAIM, 1.0, 1, None)


def test_questions_to_begin_with_are_of_different_kinds_and_nodes() -> None:
    first = [
        relation("created", "Ada", "Engine"),
        relation("created", "Bob", "Loom"),
        relation("owns", "A", "B"),
    ]
    second = [relation("created", "Eve", "Sail"), relation("located_in", "Sail Co", "Oslo")]
    assert suggest_questions([first, second]) == [
        "Who created Engine?",
        "Where is Sail Co?",
        "What does A own?",
    ]
    assert suggest_questions([[relation("created", "Ada", "n" * 300)], [relation("no_such", "A", "B")]]) == []
    assert suggest_questions([]) == []


def test_the_ask_page_offers_them(world: World, newcomer: tuple[Browser, TenantId]) -> None:
    browser, tenant_id = newcomer
    with world.citegraph.database.open_tenant(tenant_id) as tenant:
        _, token = api_keys.create_key(tenant, name="first", scopes=("write", "admin"), actor="test")
    bearer = {"authorization": f"Bearer {token.token}"}
    made = world.http.post("/v1/spaces", headers=bearer, json={"name": "first"})
    space = made.json()["id"]
    said = {"text": "Michael Stonebraker created Ingres. PostgreSQL is based on Ingres."}
    taken = world.http.post(f"/v1/spaces/{space}/documents", headers=bearer, json=said)
    assert taken.status_code == 202, taken.text
    world.drain()
    page = browser.get(f"/dashboard/spaces/{space}/ask")
    assert "Try one of these" in page
    assert "nothing can be answered" not in page
    assert re.search(r'href="[^"]*/ask\?q=Who%20created', page)
