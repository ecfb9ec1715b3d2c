"""The pages that mend a graph: each act with what it shows first, its trace in the audit, and its undo."""

import re
from urllib.parse import quote
from uuid import uuid4

import pytest

from app.graph import service as graph
from app.graph.shapes import Node
from app.graph.tags import repository as tags_repository
from app.ids import SpaceId
from app.space_settings import AttributeKind, SpaceSettings
from app.tenancy.accounts.roles import Role
from app.tenancy.audit import service as audit
from app.tenancy.spaces import service as spaces
from tests.api.conftest import World
from tests.conftest import Home
from tests.dashboard.conftest import Browser, browser_of, join
from tests.support.ingest import ingest_now, text

HOSTILE = '"><img src=x onerror=alert(1)>'
LONG = "Extraordinarily " * 18 + "Company"


class Mending:
    """An editor in a space of its own with a few documents."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.home = Home(world.a.home.tenant_id, self._space(world))
        self.path = f"/dashboard/spaces/{self.home.space_id}/mend"
        self.who = f"{uuid4().hex}@a.example"
        self.browser = join(world, "A", self.who, Role.ADMIN)
        self.database = world.citegraph.database

    def _space(self, world: World) -> SpaceId:
        with world.citegraph.database.open_tenant(world.a.home.tenant_id) as tenant:
            made = spaces.create_space(
                tenant,
                name=f"mend {uuid4().hex[:8]}",
                embedding_model="hashed-ngrams-256",
                embedding_dimensions=256,
                actor="test",
                settings=SpaceSettings(
                    single_valued_relations=["located_in"],
                    node_attributes={"Location": {"population": AttributeKind.NUMBER}},
                ),
            )
        return SpaceId(made.id)

    def take_in(self, *sentences: str) -> None:
        for sentence in sentences:
            entry = text(sentence, title=sentence[:40], source_uri=uuid4().hex)
            ingest_now(self.database, self.world.citegraph.settings, self.home, [entry])

    def node(self, name: str) -> Node:
        with self.database.open_space(self.home.tenant_id, self.home.space_id) as space:
            found = [
                node
                for node in graph.list_nodes(space, search_text=name, limit=50)
                if node.canonical_name == name
            ]
        assert len(found) == 1, name
        return found[0]

    def get(self, place: str, *, status: int = 200) -> str:
        return self.browser.get(self.path + place, status=status)

    def post(self, place: str, *, status: int = 303, **fields: str) -> str:
        return self.browser.post(self.path + place, status=status, **fields)

    def newest_act(self) -> str:
        with self.database.open_tenant(self.home.tenant_id) as tenant:
            return audit.list_entries(tenant, limit=1)[0].action


@pytest.fixture
def mending(world: World) -> Mending:
    return Mending(world)


def first(pattern: str, page: str) -> str:
    found = re.search(pattern, page, re.DOTALL)
    assert found, pattern
    return found[1]


def test_empty_pages_say_so(mending: Mending) -> None:
    for place, words in (
        ("", "No doubtful pair"),
        ("/conflicts", "Nothing to decide"),
        ("/claims", "No claim was ended"),
        ("/changes", "No merge yet"),
    ):
        assert words in mending.get(place)


def test_a_node_is_renamed_and_called_as_texts_do_again(mending: Mending) -> None:
    mending.take_in("Ada Lovelace works for Acme Corporation.")
    node = mending.node("Ada Lovelace")
    mending.get(f"/nodes/{node.id}")
    mending.post(f"/nodes/{node.id}/name", name="Countess of Lovelace")
    assert mending.newest_act() == "node.rename"
    page = mending.get(f"/nodes/{node.id}")
    assert "named by a person" in page
    assert mending.who in first(r"Named <strong[^>]*>Countess of Lovelace(.*?)</li>", page)
    assert "Also Ada Lovelace" in page
    mending.post(f"/nodes/{node.id}/name/restore")
    assert "named by a person" not in mending.get(f"/nodes/{node.id}")
    assert mending.node("Ada Lovelace").id == node.id


def test_tags_are_set(mending: Mending) -> None:
    mending.take_in("Ada Lovelace works for Acme Corporation.")
    node = mending.node("Ada Lovelace")
    mending.get(f"/nodes/{node.id}")
    mending.post(f"/nodes/{node.id}/tags", tags="pioneer, mathematics,")
    page = mending.get(f"/nodes/{node.id}")
    assert 'value="pioneer, mathematics"' in page
    assert mending.newest_act() == "node.tags"
    row = first(r"Tagged <strong[^>]*>pioneer, mathematics(.*?)</li>", page)
    assert mending.who in row
    assert "no tag of a person" in row


def test_tags_are_taken_back_to_those_of_before(mending: Mending) -> None:
    mending.take_in("Ada Lovelace works for Acme Corporation.")
    node = mending.node("Ada Lovelace")
    mending.get(f"/nodes/{node.id}")
    mending.post(f"/nodes/{node.id}/tags", tags="pioneer, mathematics")
    mending.post(f"/nodes/{node.id}/tags", tags="poet")
    page = mending.get(f"/nodes/{node.id}")
    undo = first(r'id="changes".*?name="tags" value="([^"]*)"', page)
    assert undo == "pioneer,mathematics"
    mending.post(f"/nodes/{node.id}/tags", tags=undo)
    page = mending.get(f"/nodes/{node.id}")
    assert 'value="pioneer, mathematics"' in page
    # What was taken back is the one before now.
    assert first(r'id="changes".*?name="tags" value="([^"]*)"', page) == "poet"


def test_a_suggested_tag_is_not_kept_beside_those_of_a_person(mending: Mending) -> None:
    mending.take_in("Ada Lovelace works for Acme Corporation.")
    node = mending.node("Ada Lovelace")
    with mending.database.open_space(mending.home.tenant_id, mending.home.space_id) as space:
        row = tags_repository.SuggestedTagRow(node.id, "rumour", 0, "rules")
        tags_repository.insert_suggested_tags(space, [row])
    page = mending.get(f"/nodes/{node.id}")
    assert "rumour" in page
    mending.post(f"/nodes/{node.id}/tags", tags="poet")
    assert "rumour" not in mending.get(f"/nodes/{node.id}")
    assert "rumour" not in mending.node("Ada Lovelace").properties


def test_a_merge_is_seen_made_and_undone(mending: Mending) -> None:
    mending.take_in("Ada Lovelace works for Acme Corporation.", "Augusta King works for Acme Corporation.")
    ada, augusta = mending.node("Ada Lovelace"), mending.node("Augusta King")
    found = mending.get(f"/merge?a={ada.id}&q=Augusta")
    assert f"?a={ada.id}&amp;b={augusta.id}" in found or f"?a={ada.id}&b={augusta.id}" in found
    preview = mending.get(f"/merge?a={ada.id}&b={augusta.id}")
    assert "What moves" in preview
    assert "Claims said of both" in preview
    mending.post("/merge", winner=str(ada.id), loser=str(augusta.id))
    assert mending.newest_act() == "node.merge"
    page = mending.get("/changes")
    undo = first(r'action="[^"]*/mend(/merges/[0-9a-f-]{36}/undo)"', page)
    node_page = mending.get(f"/nodes/{ada.id}")
    assert undo in first(r"Became part of it: <strong[^>]*>Augusta King(.*?)</li>", node_page)
    assert f"audit?space={mending.home.space_id}&amp;object_id={ada.id}" in node_page
    mending.post(undo)
    assert mending.newest_act() == "node.unmerge"
    assert f'undone by <span dir="auto">{mending.who}' in mending.get(f"/nodes/{ada.id}")
    assert mending.node("Augusta King").id == augusta.id
    assert "row-undone" in mending.get("/changes")


def test_doubtful_pairs_are_kept_apart_and_asked_about_again(mending: Mending) -> None:
    mending.take_in("Jonathan Smith works for Acme Corporation.", "Jonathon Smith created Ingres.")
    page = mending.get("")
    assert "Jonathan Smith" in page
    a, b = (first(rf'name="{name}" value="([0-9a-f-]{{36}})"', page) for name in "ab")
    mending.post("/apart", a=a, b=b)
    page = mending.get("")
    assert "Kept apart" in page
    assert "No doubtful pair" in page
    name_a, type_a, name_b, type_b = (
        first(rf'name="{name}" value="([^"]*)"', page) for name in ("name_a", "type_a", "name_b", "type_b")
    )
    mending.post("/reconsider", name_a=name_a, type_a=type_a, name_b=name_b, type_b=type_b)
    assert "No doubtful pair" not in mending.get("")


def test_a_conflict_is_decided_and_that_undone(mending: Mending) -> None:
    mending.take_in("Acme Corporation is located in Paris.", "Acme Corporation is located in London.")
    page = mending.get("/conflicts")
    assert "Acme Corporation is located in Paris." in page
    assert "Acme Corporation is located in London." in page
    upheld = first(r'action="[^"]*/mend(/edges/[0-9a-f-]{36}/uphold)"', page)
    mending.post(upheld, reason="The register says so.", at="2020-01-31")
    assert mending.newest_act() == "conflict.decide"
    assert "Nothing to decide" in mending.get("/conflicts")
    claims = mending.get("/claims")
    assert "2020-01-31" in claims
    assert "The register says so." in claims
    assert "The register says so." in mending.get("/conflicts?all=1")
    mending.post(first(r'action="[^"]*/mend(/edges/[0-9a-f-]{36}/restore)"', claims))
    assert "This holds" in mending.get("/conflicts")


def test_a_claim_is_ended_with_its_date_and_restored(mending: Mending) -> None:
    mending.take_in("Ada Lovelace works for Acme Corporation.")
    page = mending.get(f"/nodes/{mending.node('Ada Lovelace').id}")
    edge = first(r"/mend(/edges/[0-9a-f-]{36})", page)
    assert "End the claim" in mending.get(edge)
    mending.post(f"{edge}/end", status=422, reason=" ")
    mending.post(f"{edge}/end", status=422, reason="Gone.", at="31.1.2020")
    mending.post(f"{edge}/end", reason="She left.", at="2020-01-31")
    ended = mending.get(edge)
    assert "held until 2020-01-31" in ended
    assert "She left." in ended
    mending.post(f"{edge}/restore")
    restored = mending.get(edge)
    assert "End the claim" in restored
    assert mending.who in first(r"restored by(.*?)</li>", restored)


def test_a_mistaken_value_is_ended_given_back_and_another_upheld(mending: Mending) -> None:
    mending.take_in(
        "Oslo is a city in Norway. The population of Oslo is 700,000.",
        "Oslo is a city in Norway. The population of Oslo is 7.",
    )
    place = f"/nodes/{mending.node('Oslo').id}"
    page = mending.get(place)
    assert "The population of Oslo is 700,000." in page
    assert page.count("This holds") == 2
    mending.post(f"{place}/values/end", status=422, name="population", value="7", reason="")
    mending.post(f"{place}/values/end", name="population", value="7", reason="A slip of the pen")
    assert mending.newest_act() == "value.end"
    page = mending.get(place)
    assert "A slip of the pen" in page
    assert mending.who in page
    assert "This holds" not in page
    mending.post(f"{place}/values/restore", name="population", value="7")
    assert "A slip of the pen" not in mending.get(place)
    mending.post(f"{place}/values/uphold", name="population", value="7", reason="Counted")
    page = mending.get(place)
    assert first(r'<strong dir="auto">([\d,]+)</strong><span class="badge badge-good">holds', page) == "7"
    mending.post(f"{place}/values/end", status=422, name="population", value="[7]", reason="x")
    mending.post(f"{place}/values/end", status=422, name="population", value="no json", reason="x")


def test_a_node_of_two_things_is_split_and_made_one(mending: Mending) -> None:
    mending.take_in("Ada Lovelace works for Acme Corporation.", "Ada Lovelace created Ingres.")
    node = mending.node("Ada Lovelace")
    page = mending.get(f"/nodes/{node.id}")
    chunk = first(r'name="chunk" value="([0-9a-f-]{36})"', page)
    mending.post(f"/nodes/{node.id}/split", chunk=chunk, sense="sailor")
    assert mending.newest_act() == "node.split"
    assert mending.who in first(r"Parted from(.*?)</li>", mending.get(f"/nodes/{node.id}"))
    undo = first(r'action="[^"]*/mend(/splits/[0-9a-f-]{36}/undo)"', mending.get("/changes"))
    mending.post(undo)
    assert mending.newest_act() == "node.unsplit"


def test_names_cannot_run_and_long_ones_are_whole_in_the_title(mending: Mending) -> None:
    mending.take_in("Ada Lovelace works for Acme Corporation.", "Augusta King works for Acme Corporation.")
    ada, augusta = mending.node("Ada Lovelace"), mending.node("Augusta King")
    mending.get(f"/nodes/{ada.id}")
    mending.post(f"/nodes/{ada.id}/name", name=f"{HOSTILE} Grace")
    mending.post(f"/nodes/{augusta.id}/name", name=LONG)
    for place in (
        f"/nodes/{ada.id}",
        f"/nodes/{augusta.id}",
        f"/merge?a={ada.id}&b={augusta.id}",
        f"/merge?q={quote('Grace')}",
        "/changes",
    ):
        assert "<img" not in mending.get(place), place
    assert f'title="{LONG}"' in mending.get(f"/merge?q={quote('Extraordinarily')}")


def test_a_viewer_sees_no_button_that_refuses(world: World, mending: Mending) -> None:
    mending.take_in("Acme Corporation is located in Paris.", "Acme Corporation is located in London.")
    viewer = join(world, "A", f"{uuid4().hex}@a.example", Role.VIEWER)
    node = mending.node("Acme Corporation")
    for place in ("", "/conflicts", "/claims", "/changes", f"/nodes/{node.id}"):
        page = viewer.get(mending.path + place)
        assert 'method="post" action="/dashboard/spaces' not in page, place
        assert "Your role is read-only" in page, place


def test_unknown_things_are_not_found(mending: Mending) -> None:
    for place in (f"/nodes/{uuid4()}", f"/edges/{uuid4()}", f"/merge?a={uuid4()}"):
        assert "Not found" in mending.get(place, status=404)
    mending.get("")
    mending.post(f"/merges/{uuid4()}/undo", status=404)
    mending.post("/merge", status=404, winner=str(uuid4()), loser=str(uuid4()))


class TestAuditPage:
    def test_an_admin_filters_and_downloads(self, world: World, mending: Mending) -> None:
        mending.take_in("Ada Lovelace works for Acme Corporation.")
        node = mending.node("Ada Lovelace")
        mending.get(f"/nodes/{node.id}")
        mending.post(f"/nodes/{node.id}/name", name="Countess of Lovelace")
        place = f"/dashboard/tenants/{mending.home.tenant_id}/audit"
        page = mending.browser.get(f"{place}?object_id={node.id}")
        assert "Renamed a node" in page
        assert "dashboard" in page
        assert "Countess" not in page
        assert "Accepted documents" in mending.browser.get(f"{place}?space={mending.home.space_id}")
        assert "Nothing that fits" in mending.browser.get(f"{place}?actor=nobody")
        assert "uuid" in mending.browser.get(f"{place}?object_id=x")
        table = mending.browser.get(f"{place}/entries.csv?object_id={node.id}")
        assert table.splitlines()[0].startswith("created_at,action")
        assert len(table.splitlines()) == 2

    def test_it_goes_on_to_older_entries(self, world: World, admin: Browser) -> None:
        tenant_id = world.a.home.tenant_id
        with world.citegraph.database.open_tenant(tenant_id) as tenant:
            for _ in range(51):
                audit.record(tenant, "key.sign_in", actor="paging@a.example")
        page = admin.get(f"/dashboard/tenants/{tenant_id}/audit?actor=paging@a.example")
        following = first(r'href="(\?actor=[^"]*after=[0-9a-f-]{36})"', page).replace("&amp;", "&")
        # The entries, and the name in the list of filters.
        assert page.count("Signed in with an API key") == 51
        older = admin.get(f"/dashboard/tenants/{tenant_id}/audit{following}")
        assert older.count("Signed in with an API key") == 2

    def test_others_may_not_see_it(self, world: World, viewer: Browser, stranger: Browser) -> None:
        place = f"/dashboard/tenants/{world.a.home.tenant_id}/audit"
        for path in (place, f"{place}/entries.csv"):
            viewer.get(path, status=403)
            stranger.get(path, status=404)
        assert "Sign in" in browser_of(world).get(place)
