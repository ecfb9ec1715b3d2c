"""Routes of the graph that mend it and show where it came from, against the real application."""

from typing import Any
from uuid import uuid4

import pytest

from app.ids import SpaceId
from app.space_settings import SpaceSettings
from app.tenancy.audit import service as audit
from app.tenancy.spaces import service as spaces
from tests.api.conftest import Account, World
from tests.conftest import Home
from tests.support.ingest import ingest_now, text

SENTENCES = (
    "Grace Hopper created the A-0 System. Grace Hopper worked for Remington Rand.",
    "Grayce Hopper worked for Harvard University. The A-0 System is located in Philadelphia.",
    "The A-0 System is located in Boston.",
)


class Site:
    """A space of one test's own in the tenant A, with three documents."""

    def __init__(self, world: World) -> None:
        self.world, self.database = world, world.citegraph.database
        tenant_id = world.a.home.tenant_id
        with self.database.open_tenant(tenant_id) as tenant:
            made = spaces.create_space(
                tenant,
                name=f"routes {uuid4().hex[:8]}",
                embedding_model="hashed-ngrams-256",
                embedding_dimensions=256,
                actor="test",
                settings=SpaceSettings(single_valued_relations=["located_in"]),
            )
        self.home = Home(tenant_id, SpaceId(made.id))
        for number, sentence in enumerate(SENTENCES):
            entry = text(sentence, title=f"note {number}", source_uri=f"note-{number}")
            ingest_now(self.database, world.citegraph.settings, self.home, [entry])

    def call(self, method: str, path: str, *, status: int = 200, **given: Any) -> Any:
        url = f"/v1/spaces/{self.home.space_id}{path}"
        answer = self.world.http.request(method, url, headers=self.world.a.bearer(), **given)
        assert answer.status_code == status, answer.text
        return answer.json() if answer.content else None

    def node(self, name: str) -> dict[str, Any]:
        found: dict[str, Any] = next(
            item
            for item in self.call("GET", "/graph/nodes", params={"q": name})["items"]
            if item["canonical_name"] == name
        )
        return found

    def newest_act(self) -> str:
        with self.database.open_tenant(self.home.tenant_id) as tenant:
            return audit.list_entries(tenant, limit=1)[0].action


@pytest.fixture(scope="module")
def site(world: World) -> Site:
    return Site(world)


def test_mentions_stand_where_their_ranges_say(site: Site) -> None:
    node = site.node("A-0 System")
    texts = {
        item["id"]: site.call("GET", f"/documents/{item['id']}/text")["text"]
        for item in site.call("GET", "/documents")["items"]
    }
    path, cursor, found = f"/graph/nodes/{node['id']}/mentions", None, []
    while True:
        page = site.call("GET", path, params={"limit": 1, **({"cursor": cursor} if cursor else {})})
        assert len(page["items"]) <= 1
        found += page["items"]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert len(found) == node["mention_count"] == 3
    for mention in found:
        whole = texts[mention["document_id"]]
        assert whole[mention["char_start"] : mention["char_end"]] == mention["surface_form"]
        assert whole.startswith(mention["before"], mention["char_start"] - len(mention["before"]))
        assert whole.startswith(mention["after"], mention["char_end"])
    site.call("GET", f"/graph/nodes/{uuid4()}/mentions", status=404)


def test_a_document_is_read_in_parts_each_range_once(site: Site) -> None:
    document = next(e for e in site.call("GET", "/documents")["items"] if e["title"] == "note 0")
    path = f"/documents/{document['id']}/text"
    whole = site.call("GET", path)
    assert whole["text"] == SENTENCES[0]
    assert (whole["length"], whole["next_start"], whole["truncated"]) == (len(SENTENCES[0]), None, [])
    assert {mention["name"] for mention in whole["mentions"]} >= {
        "Grace Hopper",
        "A-0 System",
        "Remington Rand",
    }
    stated = {whole["text"][evidence["char_start"] : evidence["char_end"]] for evidence in whole["evidence"]}
    assert stated == {f"{sentence}." for sentence in SENTENCES[0].rstrip(".").split(". ")}
    parts, start = [], 0
    while start is not None:
        parts.append(site.call("GET", path, params={"start": start, "length": 30}))
        start = parts[-1]["next_start"]
    assert "".join(part["text"] for part in parts) == SENTENCES[0]
    for kind in ("mentions", "evidence"):
        assert [item for part in parts for item in part[kind]] == whole[kind]
    beyond = site.call("GET", path, params={"start": 1_000_000})
    assert (beyond["text"], beyond["next_start"], beyond["mentions"]) == ("", None, [])


def test_a_document_that_was_not_read_has_no_text(world: World, guest: Account) -> None:
    made = world.http.post(f"{guest.space}/documents", headers=guest.bearer(), json={"text": "Not yet."})
    document = made.json()["documents"][0]["id"]
    answer = world.http.get(f"{guest.space}/documents/{document}/text", headers=guest.bearer())
    assert (answer.status_code, answer.json()["code"]) == (409, "document_not_read")


def test_communities_of_a_node_are_those_whose_filter_lists_it(world: World) -> None:
    def get(path: str, **params: str) -> Any:
        answer = world.http.get(f"{world.a.space}/graph{path}", headers=world.a.bearer(), params=params)
        assert answer.status_code == 200, answer.text
        return answer.json()

    found = get(f"/nodes/{world.a.node_id}/communities")["items"]
    assert found
    for community in found:
        members = get("/nodes", community_id=community["community_id"])["items"]
        assert str(world.a.node_id) in [member["id"] for member in members]
        detail = get(f"/communities/{community['community_id']}")
        assert len(members) == detail["member_count"]
    assert len(get("/nodes")["items"]) > len(get("/nodes", community_id=found[0]["community_id"])["items"])
    foreign = get("/communities?level=0")["items"][0]["id"]
    twins = world.http.get(
        f"{world.b.space}/graph/nodes", headers=world.b.bearer(), params={"community_id": foreign}
    )
    assert twins.json()["items"] == []


def test_filters_of_nodes_and_their_cursors(site: Site) -> None:
    words = {"q": "Boston Hopper", "match": "any"}
    found = site.call("GET", "/graph/nodes", params=words)["items"]
    assert {node["canonical_name"] for node in found} >= {"Grace Hopper", "Boston"}
    assert site.call("GET", "/graph/nodes", params={**words, "match": "all"})["items"] == []
    page = site.call("GET", "/graph/nodes", params={**words, "limit": 1})
    going_on = {**words, "limit": 1, "cursor": page["next_cursor"]}
    assert site.call("GET", "/graph/nodes", params=going_on)["items"] != page["items"]
    site.call("GET", "/graph/nodes", params={**going_on, "match": "all"}, status=422)
    future = {"first_seen_from": "2999-01-01T00:00:00Z"}
    assert site.call("GET", "/graph/nodes", params=future)["items"] == []
    site.call("GET", "/graph/nodes", params={"last_seen_before": "yesterday"}, status=422)


def test_two_nodes_are_merged_and_apart_again(site: Site) -> None:
    pairs = site.call("GET", "/graph/duplicates")["items"]
    names = [{pair["a"]["name"], pair["b"]["name"]} for pair in pairs]
    assert {"Grace Hopper", "Grayce Hopper"} in names
    ends = {
        "winner_id": site.node("Grace Hopper")["id"],
        "loser_id": site.node("Grayce Hopper")["id"],
    }
    preview = site.call("POST", "/graph/merges/preview", json=ends)
    assert (preview["mentions"], preview["overrides_decision"]) == (1, False)
    made = site.call("POST", "/graph/merges", json=ends, status=201)
    assert (made["reason"], made["undone_at"]) == ("person", None)
    assert site.newest_act() == "node.merge"
    assert site.call("GET", "/graph/merges")["items"][0] == made
    site.call("GET", f"/graph/nodes/{ends['loser_id']}", status=404)
    assert site.call("POST", f"/graph/merges/{made['id']}/undo")["id"] == ends["loser_id"]
    assert site.newest_act() == "node.unmerge"
    again = site.call("POST", f"/graph/merges/{made['id']}/undo", status=409)
    assert again["code"] == "already_undone"
    # Undoing keeps that they are two, and that can be taken back.
    (kept,) = site.call("GET", "/graph/kept-apart")["items"]
    assert {kept["a"]["name"], kept["b"]["name"]} == {"grace hopper", "grayce hopper"}
    assert names != site.call("GET", "/graph/duplicates")["items"]
    site.call("POST", "/graph/kept-apart/reconsider", json={"a": kept["a"], "b": kept["b"]}, status=204)
    assert site.call("GET", "/graph/kept-apart")["items"] == []
    site.call("POST", "/graph/kept-apart/reconsider", json={"a": kept["a"], "b": kept["b"]}, status=404)
    site.call("POST", "/graph/kept-apart", json={"node_ids": list(ends.values())}, status=204)
    assert site.newest_act() == "node.keep_apart"
    assert len(site.call("GET", "/graph/kept-apart")["items"]) == 1
    same = {"winner_id": ends["winner_id"], "loser_id": ends["winner_id"]}
    site.call("POST", "/graph/merges", json=same, status=422)
    site.call("POST", "/graph/merges", json={**ends, "loser_id": str(uuid4())}, status=404)


def test_another_tenants_node_cannot_be_merged(world: World, site: Site) -> None:
    mine, theirs = site.node("Boston")["id"], str(world.b.node_id)
    for winner, loser in ((mine, theirs), (theirs, mine)):
        for path in ("/graph/merges", "/graph/merges/preview"):
            refused = site.call("POST", path, json={"winner_id": winner, "loser_id": loser}, status=404)
            assert refused["detail"] == "No such node."
        refused = site.call("POST", "/graph/kept-apart", json={"node_ids": [winner, loser]}, status=404)
        assert refused["detail"] == "No such node."


def test_a_node_is_called_as_a_person_says_and_again_as_texts_do(site: Site) -> None:
    path = f"/graph/nodes/{site.node('Remington Rand')['id']}/name"
    named = site.call("PUT", path, json={"name": "Remington Rand Inc"})
    assert named["canonical_name"] == "Remington Rand Inc"
    assert "Remington Rand" in named["aliases"]
    assert site.call("PUT", path, json={"name": "Remington Rand Inc"}, status=409)["code"] == "same_name"
    assert site.call("DELETE", path)["canonical_name"] == "Remington Rand"
    assert site.newest_act() == "node.restore_name"
    assert site.call("DELETE", path, status=409)["code"] == "no_given_name"


def test_of_two_values_the_one_upheld_stands_alone(site: Site) -> None:
    node = site.node("A-0 System")
    edges = site.call("GET", "/graph/edges", params={"node_id": node["id"], "relation_type": "located_in"})[
        "items"
    ]
    assert len(edges) == 2
    ended = site.call("POST", f"/graph/edges/{edges[0]['id']}/uphold", json={"reason": "The archive."})
    assert [item["edge_id"] for item in ended["items"]] == [edges[1]["id"]]
    again = site.call("POST", f"/graph/edges/{edges[0]['id']}/uphold", json={"reason": "x"}, status=409)
    assert again["code"] == "nothing_to_decide"
    site.call("POST", f"/graph/edges/{edges[1]['id']}/restore")
