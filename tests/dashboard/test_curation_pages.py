"""The pages that curate a graph: each act with what it shows first, its trace in the audit, and its undo."""

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


class Curation:
    """An editor in a space of its own with a few documents."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.home = Home(world.a.home.tenant_id, self._space(world))
        self.path = f"/dashboard/spaces/{self.home.space_id}/curation"
        self.who = f"{uuid4().hex}@a.example"
        self.browser = join(world, "A", self.who, Role.ADMIN)
        self.database = world.citegraph.database

    def _space(self, world: World) -> SpaceId:
        with world.citegraph.database.open_tenant(world.a.home.tenant_id) as tenant:
            made = spaces.create_space(
                tenant,
                name=f"curation {uuid4().hex[:8]}",
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
def curation(world: World) -> Curation:
    return Curation(world)


def first(pattern: str, page: str) -> str:
    found = re.search(pattern, page, re.DOTALL)
    assert found, pattern
    return found[1]


def test_empty_pages_say_so(curation: Curation) -> None:
    for place, words in (
        ("", "No doubtful pair"),
        ("/conflicts", "Nothing to decide"),
        ("/claims", "No claim was ended"),
        ("/changes", "No merge yet"),
    ):
        assert words in curation.get(place)


def test_a_node_is_renamed_and_called_as_texts_do_again(curation: Curation) -> None:
    curation.take_in("Ada Lovelace works for Acme Corporation.")
    node = curation.node("Ada Lovelace")
    curation.get(f"/nodes/{node.id}")
    curation.post(f"/nodes/{node.id}/name", name="Countess of Lovelace")
    assert curation.newest_act() == "node.rename"
    page = curation.get(f"/nodes/{node.id}")
    assert "named by a person" in page
    assert curation.who in first(r"Named <strong[^>]*>Countess of Lovelace(.*?)</li>", page)
    assert "Also Ada Lovelace" in page
    curation.post(f"/nodes/{node.id}/name/restore")
    assert "named by a person" not in curation.get(f"/nodes/{node.id}")
    assert curation.node("Ada Lovelace").id == node.id


def test_tags_are_set(curation: Curation) -> None:
    curation.take_in("Ada Lovelace works for Acme Corporation.")
    node = curation.node("Ada Lovelace")
    curation.get(f"/nodes/{node.id}")
    curation.post(f"/nodes/{node.id}/tags", tags="pioneer, mathematics,")
    page = curation.get(f"/nodes/{node.id}")
    assert 'value="pioneer, mathematics"' in page
    assert curation.newest_act() == "node.tags"
    row = first(r"Tagged <strong[^>]*>pioneer, mathematics(.*?)</li>", page)
    assert curation.who in row
    assert "no tag of a person" in row


def test_tags_are_taken_back_to_those_of_before(curation: Curation) -> None:
    curation.take_in("Ada Lovelace works for Acme Corporation.")
    node = curation.node("Ada Lovelace")
    curation.get(f"/nodes/{node.id}")
    curation.post(f"/nodes/{node.id}/tags", tags="pioneer, mathematics")
    curation.post(f"/nodes/{node.id}/tags", tags="poet")
    page = curation.get(f"/nodes/{node.id}")
    undo = first(r'id="changes".*?name="tags" value="([^"]*)"', page)
    assert undo == "pioneer,mathematics"
    curation.post(f"/nodes/{node.id}/tags", tags=undo)
    page = curation.get(f"/nodes/{node.id}")
    assert 'value="pioneer, mathematics"' in page
    # What was taken back is the one before now.
    assert first(r'id="changes".*?name="tags" value="([^"]*)"', page) == "poet"


def test_a_suggested_tag_is_not_kept_beside_those_of_a_person(curation: Curation) -> None:
    curation.take_in("Ada Lovelace works for Acme Corporation.")
    node = curation.node("Ada Lovelace")
    with curation.database.open_space(curation.home.tenant_id, curation.home.space_id) as space:
        row = tags_repository.SuggestedTagRow(node.id, "rumour", 0, "rules")
        tags_repository.insert_suggested_tags(space, [row])
    page = curation.get(f"/nodes/{node.id}")
    assert "rumour" in page
    curation.post(f"/nodes/{node.id}/tags", tags="poet")
    assert "rumour" not in curation.get(f"/nodes/{node.id}")
    assert "rumour" not in curation.node("Ada Lovelace").properties


def test_a_merge_is_seen_made_and_undone(curation: Curation) -> None:
    curation.take_in("Ada Lovelace works for Acme Corporation.", "Augusta King works for Acme Corporation.")
    ada, augusta = curation.node("Ada Lovelace"), curation.node("Augusta King")
    found = curation.get(f"/merge?a={ada.id}&q=Augusta")
    assert f"?a={ada.id}&amp;b={augusta.id}" in found or f"?a={ada.id}&b={augusta.id}" in found
    preview = curation.get(f"/merge?a={ada.id}&b={augusta.id}")
    assert "What moves" in preview
    assert "Claims said of both" in preview
    curation.post("/merge", winner=str(ada.id), loser=str(augusta.id))
    assert curation.newest_act() == "node.merge"
    page = curation.get("/changes")
    undo = first(r'action="[^"]*/curation(/merges/[0-9a-f-]{36}/undo)"', page)
    node_page = curation.get(f"/nodes/{ada.id}")
    assert undo in first(r"Became part of it: <strong[^>]*>Augusta King(.*?)</li>", node_page)
    assert f"audit?space={curation.home.space_id}&amp;object_id={ada.id}" in node_page
    curation.post(undo)
    assert curation.newest_act() == "node.unmerge"
    assert f'undone by <span dir="auto">{curation.who}' in curation.get(f"/nodes/{ada.id}")
    assert curation.node("Augusta King").id == augusta.id
    assert "row-undone" in curation.get("/changes")


def test_doubtful_pairs_are_kept_apart_and_asked_about_again(curation: Curation) -> None:
    curation.take_in("Jonathan Smith works for Acme Corporation.", "Jonathon Smith created Ingres.")
    page = curation.get("")
    assert "Jonathan Smith" in page
    a, b = (first(rf'name="{name}" value="([0-9a-f-]{{36}})"', page) for name in "ab")
    curation.post("/apart", a=a, b=b)
    page = curation.get("")
    assert "Kept apart" in page
    assert "No doubtful pair" in page
    name_a, type_a, name_b, type_b = (
        first(rf'name="{name}" value="([^"]*)"', page) for name in ("name_a", "type_a", "name_b", "type_b")
    )
    curation.post("/reconsider", name_a=name_a, type_a=type_a, name_b=name_b, type_b=type_b)
    assert "No doubtful pair" not in curation.get("")


def test_a_conflict_is_decided_and_that_undone(curation: Curation) -> None:
    curation.take_in("Acme Corporation is located in Paris.", "Acme Corporation is located in London.")
    page = curation.get("/conflicts")
    assert "Acme Corporation is located in Paris." in page
    assert "Acme Corporation is located in London." in page
    upheld = first(r'action="[^"]*/curation(/edges/[0-9a-f-]{36}/uphold)"', page)
    curation.post(upheld, reason="The register says so.", at="2020-01-31")
    assert curation.newest_act() == "conflict.decide"
    assert "Nothing to decide" in curation.get("/conflicts")
    claims = curation.get("/claims")
    assert "2020-01-31" in claims
    assert "The register says so." in claims
    assert "The register says so." in curation.get("/conflicts?all=1")
    curation.post(first(r'action="[^"]*/curation(/edges/[0-9a-f-]{36}/restore)"', claims))
    assert "This holds" in curation.get("/conflicts")


def test_a_claim_is_ended_with_its_date_and_restored(curation: Curation) -> None:
    curation.take_in("Ada Lovelace works for Acme Corporation.")
    page = curation.get(f"/nodes/{curation.node('Ada Lovelace').id}")
    edge = first(r"/curation(/edges/[0-9a-f-]{36})", page)
    assert "End the claim" in curation.get(edge)
    curation.post(f"{edge}/end", status=422, reason=" ")
    curation.post(f"{edge}/end", status=422, reason="Gone.", at="31.1.2020")
    curation.post(f"{edge}/end", reason="She left.", at="2020-01-31")
    ended = curation.get(edge)
    assert "held until 2020-01-31" in ended
    assert "She left." in ended
    curation.post(f"{edge}/restore")
    restored = curation.get(edge)
    assert "End the claim" in restored
    assert curation.who in first(r"restored by(.*?)</li>", restored)


def test_a_mistaken_value_is_ended_given_back_and_another_upheld(curation: Curation) -> None:
    curation.take_in(
        "Oslo is a city in Norway. The population of Oslo is 700,000.",
        "Oslo is a city in Norway. The population of Oslo is 7.",
    )
    place = f"/nodes/{curation.node('Oslo').id}"
    page = curation.get(place)
    assert "The population of Oslo is 700,000." in page
    assert page.count("This holds") == 2
    curation.post(f"{place}/values/end", status=422, name="population", value="7", reason="")
    curation.post(f"{place}/values/end", name="population", value="7", reason="A slip of the pen")
    assert curation.newest_act() == "value.end"
    page = curation.get(place)
    assert "A slip of the pen" in page
    assert curation.who in page
    assert "This holds" not in page
    curation.post(f"{place}/values/restore", name="population", value="7")
    assert "A slip of the pen" not in curation.get(place)
    curation.post(f"{place}/values/uphold", name="population", value="7", reason="Counted")
    page = curation.get(place)
    assert first(r'<strong dir="auto">([\d,]+)</strong><span class="badge badge-good">holds', page) == "7"
    curation.post(f"{place}/values/end", status=422, name="population", value="[7]", reason="x")
    curation.post(f"{place}/values/end", status=422, name="population", value="no json", reason="x")


def test_a_node_of_two_things_is_split_and_made_one(curation: Curation) -> None:
    curation.take_in("Ada Lovelace works for Acme Corporation.", "Ada Lovelace created Ingres.")
    node = curation.node("Ada Lovelace")
    page = curation.get(f"/nodes/{node.id}")
    chunk = first(r'name="chunk" value="([0-9a-f-]{36})"', page)
    curation.post(f"/nodes/{node.id}/split", chunk=chunk, sense="sailor")
    assert curation.newest_act() == "node.split"
    assert curation.who in first(r"Parted from(.*?)</li>", curation.get(f"/nodes/{node.id}"))
    undo = first(r'action="[^"]*/curation(/splits/[0-9a-f-]{36}/undo)"', curation.get("/changes"))
    curation.post(undo)
    assert curation.newest_act() == "node.unsplit"


def test_names_cannot_run_and_long_ones_are_whole_in_the_title(curation: Curation) -> None:
    curation.take_in("Ada Lovelace works for Acme Corporation.", "Augusta King works for Acme Corporation.")
    ada, augusta = curation.node("Ada Lovelace"), curation.node("Augusta King")
    curation.get(f"/nodes/{ada.id}")
    curation.post(f"/nodes/{ada.id}/name", name=f"{HOSTILE} Grace")
    curation.post(f"/nodes/{augusta.id}/name", name=LONG)
    for place in (
        f"/nodes/{ada.id}",
        f"/nodes/{augusta.id}",
        f"/merge?a={ada.id}&b={augusta.id}",
        f"/merge?q={quote('Grace')}",
        "/changes",
    ):
        assert "<img" not in curation.get(place), place
    assert f'title="{LONG}"' in curation.get(f"/merge?q={quote('Extraordinarily')}")


def test_a_viewer_sees_no_button_that_refuses(world: World, curation: Curation) -> None:
    curation.take_in("Acme Corporation is located in Paris.", "Acme Corporation is located in London.")
    viewer = join(world, "A", f"{uuid4().hex}@a.example", Role.VIEWER)
    node = curation.node("Acme Corporation")
    for place in ("", "/conflicts", "/claims", "/changes", f"/nodes/{node.id}"):
        page = viewer.get(curation.path + place)
        assert 'method="post" action="/dashboard/spaces' not in page, place
        assert "Your role is read-only" in page, place


def test_unknown_things_are_not_found(curation: Curation) -> None:
    for place in (f"/nodes/{uuid4()}", f"/edges/{uuid4()}", f"/merge?a={uuid4()}"):
        assert "Not found" in curation.get(place, status=404)
    curation.get("")
    curation.post(f"/merges/{uuid4()}/undo", status=404)
    curation.post("/merge", status=404, winner=str(uuid4()), loser=str(uuid4()))


class TestAuditPage:
    def test_an_admin_filters_and_downloads(self, world: World, curation: Curation) -> None:
        curation.take_in("Ada Lovelace works for Acme Corporation.")
        node = curation.node("Ada Lovelace")
        curation.get(f"/nodes/{node.id}")
        curation.post(f"/nodes/{node.id}/name", name="Countess of Lovelace")
        place = f"/dashboard/tenants/{curation.home.tenant_id}/audit"
        page = curation.browser.get(f"{place}?object_id={node.id}")
        assert "Renamed a node" in page
        assert "dashboard" in page
        assert "Countess" not in page
        assert "Accepted documents" in curation.browser.get(f"{place}?space={curation.home.space_id}")
        assert "Nothing that fits" in curation.browser.get(f"{place}?actor=nobody")
        assert "uuid" in curation.browser.get(f"{place}?object_id=x")
        table = curation.browser.get(f"{place}/entries.csv?object_id={node.id}")
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
