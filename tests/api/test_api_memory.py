"""Memory over HTTP: every door records what it returned, usage counts queries, policies evict (requirement
12).
"""

from typing import Any

from app.ids import ChunkId
from tests.api.conftest import Account, World
from tests.support.evictions import evictor
from tests.support.ingest import make_runner

QUESTION = "What did Michael Stonebraker create?"
TEXT = "Michael Stonebraker created Ingres. Michael Stonebraker created Postgres."


def filled(world: World, account: Account, **bodies: str) -> Account:
    for name, body in bodies.items():
        sent = {"text": body, "title": name, "source_uri": name}
        answer = world.http.post(f"{account.space}/documents", headers=account.bearer(), json=sent)
        assert answer.status_code == 202
    make_runner(world.citegraph.database, world.citegraph.settings).drain()
    return account


def post(world: World, account: Account, path: str, body: Any, status: int = 200) -> Any:
    answer = world.http.post(f"{account.space}{path}", headers=account.bearer(), json=body)
    assert answer.status_code == status, answer.text
    return answer.json()


def get(world: World, account: Account, url: str, **params: Any) -> Any:
    answer = world.http.get(url, headers=account.bearer(), params=params)
    assert answer.status_code == 200, answer.text
    return answer.json()


def recalled(world: World, account: Account, kind: str) -> dict[str, int]:
    """How often each chunk or edge of the space was recalled, as written."""
    assert world.citegraph.recall_recorder.flush()
    with world.citegraph.database.open_space(account.home.tenant_id, account.home.space_id) as space:
        rows = space.connection.execute(
            f"SELECT {kind}_id, recall_count FROM {kind}_recall WHERE knowledge_space_id = %s".encode(),
            [account.space_id],
        ).fetchall()
    return {str(id): count for id, count in rows}


def queries(world: World, account: Account) -> int:
    assert world.citegraph.recall_recorder.flush()
    return sum(item["queries"] for item in get(world, account, "/v1/usage")["items"])


def set_policy(world: World, account: Account, **settings: Any) -> Any:
    return world.http.patch(account.space, headers=account.bearer(), json={"settings": settings})


class TestRecalls:
    def test_retrieve_explain_and_ask_record_what_they_returned(self, world: World, guest: Account) -> None:
        filled(world, guest, note=TEXT)
        found = post(world, guest, "/retrieve", {"query": QUESTION})
        shown = {passage["chunk_id"] for passage in found["passages"]}
        facts = {fact["edge"]["id"] for fact in found["facts"]}
        assert shown
        assert facts
        assert recalled(world, guest, "chunk") == dict.fromkeys(shown, 1)
        assert recalled(world, guest, "edge") == dict.fromkeys(facts, 1)
        explained = post(world, guest, "/graph/explain", {"question": QUESTION})
        edges = {edge["id"] for edge in explained["edges"]}
        assert recalled(world, guest, "edge") == {
            edge_id: 1 + (edge_id in edges) for edge_id in facts | edges
        }
        asked = post(world, guest, "/ask", {"question": QUESTION})
        cited = {citation["chunk_id"] for citation in asked["citations"]}
        assert cited
        assert all(recalled(world, guest, "chunk")[chunk_id] == 3 for chunk_id in cited)

    def test_a_streamed_answer_records_once(self, world: World, guest: Account) -> None:
        filled(world, guest, note=TEXT)
        headers = {**guest.bearer(), "accept": "text/event-stream"}
        answer = world.http.post(f"{guest.space}/ask", headers=headers, json={"question": QUESTION})
        assert "event: done" in answer.text
        assert set(recalled(world, guest, "chunk").values()) == {1}
        assert queries(world, guest) == 1

    def test_usage_counts_queries(self, world: World, guest: Account) -> None:
        """Each question and each neighbourhood once; listings, and what failed, not at all."""
        filled(world, guest, note=TEXT)
        node = get(world, guest, f"{guest.space}/graph/nodes")["items"][0]["id"]
        before = queries(world, guest)
        post(world, guest, "/retrieve", {"query": QUESTION})
        post(world, guest, "/retrieve", {"query": QUESTION})
        post(world, guest, "/graph/explain", {"question": QUESTION})
        post(world, guest, "/ask", {"question": QUESTION})
        post(world, guest, "/graph/neighbors", {"node_ids": [node]})
        get(world, guest, f"{guest.space}/graph/neighborhood/{node}")
        get(world, guest, f"{guest.space}/graph/edges")
        post(world, guest, "/retrieve", {"query": " "}, status=422)
        assert queries(world, guest) - before == 6

    def test_what_is_lost_is_told_by_metrics(self, world: World) -> None:
        assert "citegraph_recalls_dropped" in world.http.get("/metrics").text


class TestEviction:
    def test_a_policy_without_its_parameter_is_refused_by_name(self, world: World, guest: Account) -> None:
        for settings, said in (
            ({"eviction": "ttl"}, "eviction ttl needs eviction_ttl_days"),
            ({"eviction": "hybrid"}, "eviction hybrid needs eviction_ttl_days"),
            ({"eviction_max_chunks": 5}, "eviction none takes no eviction_max_chunks"),
        ):
            answer = set_policy(world, guest, **settings)
            assert answer.status_code == 422
            assert [error["msg"] for error in answer.json()["errors"]] == [said]

    def test_without_a_policy_there_is_nothing_to_run(self, world: World, guest: Account) -> None:
        assert get(world, guest, f"{guest.space}/eviction")["eviction"] == "none"
        refused = post(world, guest, "/eviction", {}, status=409)
        assert refused["code"] == "no_eviction_policy"

    def test_a_dry_run_in_pages_then_the_job(self, world: World, guest: Account) -> None:
        filled(
            world, guest, **{f"note{n}": f"There is nothing to be said about number {n}." for n in range(5)}
        )
        assert set_policy(world, guest, eviction="capacity", eviction_max_chunks=2).status_code == 200
        jobs = get(world, guest, f"{guest.space}/jobs")["items"]
        assert [job["kind"] for job in jobs if job["state"] == "queued"].count("memory.evict") == 1
        items, cursor = [], None
        while True:
            page = get(
                world, guest, f"{guest.space}/eviction", limit=2, **({"cursor": cursor} if cursor else {})
            )
            assert (page["evictable"], page["chunks"], page["protected"]) == (3, 5, 0)
            items += page["items"]
            cursor = page["next_cursor"]
            if cursor is None:
                break
        assert [item["place"] for item in items] == [1, 2, 3]
        assert {item["reason"] for item in items} == {"over_capacity"}
        made = post(world, guest, "/eviction", {}, status=202)
        assert made["kind"] == "memory.evict"
        evictor(world.citegraph.database, world.citegraph.settings).drain()
        done = get(world, guest, f"{guest.space}/jobs/{made['id']}")
        assert (done["state"], done["counts"]["evicted"]) == ("done", 3)
        for item in items:
            gone = world.http.get(f"{guest.space}/chunks/{ChunkId(item['chunk_id'])}", headers=guest.bearer())
            assert gone.status_code == 404
        assert len(get(world, guest, f"{guest.space}/documents")["items"]) == 2

    def test_the_last_evidence_goes_only_when_asked(self, world: World, guest: Account) -> None:
        filled(world, guest, note=TEXT)
        set_policy(world, guest, eviction="ttl", eviction_ttl_days=1e-9)
        url = f"{guest.space}/eviction"
        assert (get(world, guest, url)["evictable"], get(world, guest, url)["protected"]) == (0, 1)
        assert get(world, guest, url, including_last_evidence=True)["evictable"] == 1
        post(world, guest, "/eviction", {"including_last_evidence": True}, status=202)
        evictor(world.citegraph.database, world.citegraph.settings).drain()
        edges = get(world, guest, f"{guest.space}/graph/edges")["items"]
        assert edges
        assert {edge["evidence"] for edge in edges} == {None}
