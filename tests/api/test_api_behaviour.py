"""What the routes do: hand in, replace, delete, follow a job, walk lists, explain."""

import json
import re
import threading
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy.exc import OperationalError
from starlette.testclient import TestClient
from structlog.testing import capture_logs

from app.db.database import Database
from app.db.engine import create_app_engine
from app.http import shared_streams
from app.jobs import queue
from app.jobs.context import JobContext
from app.jobs.kinds import IngestDocuments
from app.main import create_app
from app.wiring import Citegraph, assemble_citegraph
from tests.api import routes
from tests.api.conftest import Account, World
from workers.runner import Runner

A = "Michael Stonebraker created Ingres. Ingres was based on the relational model."
B = "Eugene Wong created QUEL. Ingres uses QUEL."


def post(world: World, guest: Account, **document: Any) -> Any:
    return world.http.post(f"{guest.space}/documents", headers=guest.bearer("write"), json=document)


def get(world: World, account: Account, path: str, **params: Any) -> Any:
    answer = world.http.get(account.space + path, headers=account.bearer("read"), params=params)
    assert answer.status_code == 200, answer.text
    return answer.json()


class TestSubmitting:
    def test_a_document_becomes_a_job_and_then_a_cited_graph(self, world: World, guest: Account) -> None:
        answer = post(world, guest, text=A, title="Ingres", source_kind="user_edit", metadata={"n": [1, 2.5]})
        assert answer.status_code == 202
        body = answer.json()
        assert [document["outcome"] for document in body["documents"]] == ["created"]
        assert body["job"]["state"] == "queued"
        world.drain()
        job = get(world, guest, f"/jobs/{body['job']['id']}")
        assert (job["state"], job["progress"], job["errors"]) == ("done", 100.0, [])
        document = get(world, guest, f"/documents/{body['documents'][0]['id']}")
        assert document["state"] == "ready"
        assert document["source_kind"] == "user_edit"
        assert document["metadata"] == {"n": [1, 2.5]}
        edge = next(
            item for item in get(world, guest, "/graph/edges")["items"] if item["relation_type"] == "created"
        )
        evidence = edge["evidence"]
        chunk = get(world, guest, f"/chunks/{evidence['chunk_id']}")
        start = evidence["char_start"] - chunk["char_start"]
        assert chunk["text"][start : start + len(evidence["quote"])] == evidence["quote"]
        assert evidence["quote"] in A

    def test_the_same_again_is_unchanged_and_new_content_replaces(self, world: World, guest: Account) -> None:
        """Requirement 2.3."""
        first = post(world, guest, text=A, source_uri="notes/ingres.txt").json()["documents"][0]
        assert first["state"] == "queued"
        world.drain()
        again = post(world, guest, text=A, source_uri="notes/ingres.txt")
        assert (again.status_code, again.json()["job"]) == (200, None)
        assert again.json()["documents"][0] == {
            **first,
            "outcome": "unchanged",
            "title": "ingres.txt",
            "state": "ready",
        }
        newer = post(world, guest, text=B, source_uri="notes/ingres.txt")
        assert newer.status_code == 202
        replaced = newer.json()["documents"][0]
        assert (replaced["id"], replaced["outcome"], replaced["version"]) == (first["id"], "replaced", 2)
        world.drain()
        assert len(get(world, guest, "/documents")["items"]) == 1

    def test_files_of_a_form_are_one_job(self, world: World, guest: Account) -> None:
        files = [
            ("file", ("/home/somebody/a.txt", A.encode(), "text/plain")),
            ("file", ("b.md", f"# Wong\n\n{B}".encode(), "application/octet-stream")),
            ("file", ("c.csv", b"name,made\nAda,Engine\n", "text/csv")),
        ]
        # What other tests left is no part of what is counted below.
        world.drain()
        answer = world.http.post(
            f"{guest.space}/documents",
            headers=guest.bearer("write"),
            files=files,
            data={"metadata": '{"batch": 1}', "source_kind": "system", "language": "en"},
        )
        assert answer.status_code == 202, answer.text
        assert world.drain() == 1
        found = {item["source_uri"]: item for item in get(world, guest, "/documents")["items"]}
        assert {uri: document["format"] for uri, document in found.items()} == {
            "a.txt": "text",
            "b.md": "markdown",
            "c.csv": "csv",
        }
        assert {document["state"] for document in found.values()} == {"ready"}
        assert found["b.md"]["title"] == "Wong"
        assert found["a.txt"]["metadata"] == {"batch": 1}
        assert found["a.txt"]["source_kind"] == "system"

    def test_a_conversation_may_come_as_json_itself(self, world: World, guest: Account) -> None:
        turns = {"turns": [{"speaker": "Ada", "text": A}, {"speaker": "Wong", "text": B}]}
        answer = post(world, guest, content=turns, format="conversation", title="Talk")
        assert answer.status_code == 202, answer.text
        world.drain()
        (document,) = get(world, guest, "/documents")["items"]
        assert (document["state"], document["source_kind"]) == ("ready", "conversation")
        chunks = get(world, guest, f"/documents/{document['id']}/chunks")["items"]
        assert [chunk["speaker"] for chunk in chunks] == ["Ada", "Wong"]

    def test_a_bad_document_fails_alone_and_its_job_says_why(self, world: World, guest: Account) -> None:
        files = [
            ("file", ("bad.pdf", b"%PDF-1.7\n1 0 obj\n<<\n%%EOF", "application/pdf")),
            ("file", ("good.txt", A.encode(), "text/plain")),
        ]
        answer = world.http.post(f"{guest.space}/documents", headers=guest.bearer(), files=files)
        world.drain()
        job = get(world, guest, f"/jobs/{answer.json()['job']['id']}")
        assert [error["code"] for error in job["errors"]] == ["damaged_document"]
        states = {item["source_uri"]: item["state"] for item in get(world, guest, "/documents")["items"]}
        assert states == {"bad.pdf": "failed", "good.txt": "ready"}
        assert len(get(world, guest, "/documents", state="failed")["items"]) == 1


class TestDeleting:
    @pytest.mark.parametrize("prune", [False, True])
    def test_edges_stay_without_evidence_unless_pruned(
        self, world: World, guest: Account, prune: bool
    ) -> None:
        """Requirement 2.4."""
        made = post(world, guest, text=A).json()["documents"][0]["id"]
        world.drain()
        before = get(world, guest, "/graph/edges")["items"]
        assert before
        gone = world.http.delete(
            f"{guest.space}/documents/{made}", headers=guest.bearer("write"), params={"prune": prune}
        ).json()
        after = get(world, guest, "/graph/edges")["items"]
        assert gone["unlinked_edges"] == len(before)
        if prune:
            assert (gone["pruned_edges"], after) == (len(before), [])
            assert get(world, guest, "/graph/nodes")["items"] == []
        else:
            assert [edge["evidence"] for edge in after] == [None] * len(before)
            # What a deleted document said is nowhere (requirement 15.3).
            assert [edge["quote"] for edge in after] == [None] * len(before)

    def test_a_space_goes_with_all_that_it_owns(self, world: World, guest: Account) -> None:
        post(world, guest, text=A)
        world.drain()
        assert world.http.delete(guest.space, headers=guest.bearer("admin")).status_code == 200
        for path in ("", "/documents", "/jobs", "/graph/nodes"):
            answer = world.http.get(guest.space + path, headers=guest.bearer("read"))
            assert (answer.status_code, answer.json()["detail"]) == (404, "No such space.")


class TestSpaces:
    def test_are_made_changed_and_named_once(self, world: World, guest: Account) -> None:
        url, headers = "/v1/spaces", guest.bearer("admin")
        made = world.http.post(url, headers=headers, json={"name": "One", "settings": {"chunk_tokens": 64}})
        assert made.status_code == 201
        assert made.json()["embedding_dimensions"] == world.citegraph.embedders.dimensions
        twice = world.http.post(url, headers=headers, json={"name": " One\u200b "})
        assert (twice.status_code, twice.json()["code"]) == (409, "name_taken")
        one = f"{url}/{made.json()['id']}"
        changed = world.http.patch(one, headers=headers, json={"settings": {"open_relations": True}}).json()
        assert (changed["name"], changed["settings"]) == ("One", {"chunk_tokens": 64, "open_relations": True})
        taken = world.http.patch(one, headers=headers, json={"name": "library"})
        assert (taken.status_code, taken.json()["code"]) == (409, "name_taken")
        weights = {"hybrid_weights": [1, 0, 0, 0.5], "fact_decay": 0, "promotion_threshold": 2}
        gone = {"chunk_tokens": None, "open_relations": None}
        changed = world.http.patch(one, headers=headers, json={"settings": weights | gone}).json()
        assert changed["settings"] == weights
        bad = world.http.patch(one, headers=headers, json={"settings": {"min_confidence": 2}})
        assert bad.status_code == 422

    def test_a_space_reads_only_by_a_model_that_is_offered(self, guest: Account, world: World) -> None:
        """Issue 27: refused when it is set, not by the first job."""
        headers = guest.bearer("admin")
        for settings in ({"extraction_model": "unknown"}, {"claim_check_model": "rules"}):
            created = world.http.post(
                "/v1/spaces", headers=headers, json={"name": "new", "settings": settings}
            )
            changed = world.http.patch(guest.space, headers=headers, json={"settings": settings})
            for answer in (created, changed):
                assert (answer.status_code, answer.json()["code"]) == (422, "model_not_offered")
        own = {"settings": {"extraction_model": "rules"}}
        assert world.http.patch(guest.space, headers=headers, json=own).status_code == 200

    def test_a_change_of_one_setting_leaves_the_others_and_null_takes_one_back(
        self, world: World, guest: Account
    ) -> None:
        def change(**settings: object) -> tuple[int, dict[str, object]]:
            answer = world.http.patch(guest.space, headers=guest.bearer("admin"), json={"settings": settings})
            return answer.status_code, answer.json().get("settings", {})

        kept = {"budget_usd": 5.0, "extra_node_types": ["Ship"], "gleanings": 1}
        assert change(**kept) == (200, kept)
        assert change(fan_out=20) == (200, kept | {"fan_out": 20})
        assert change() == (200, kept | {"fan_out": 20})
        assert change(gleanings=None, extra_node_types=None) == (200, {"budget_usd": 5.0, "fan_out": 20})
        assert change(eviction="ttl", eviction_ttl_days=9)[0] == 200
        # Wrong together with what is set already: nothing changes.
        assert change(eviction_ttl_days=None, fan_out=30)[0] == 422
        assert change(fan_out=None, eviction=None, eviction_ttl_days=None) == (200, {"budget_usd": 5.0})
        assert change(budget_usd=None) == (200, {})


class TestJobs:
    def test_a_job_is_cancelled_and_retried(self, world: World, guest: Account) -> None:
        job = post(world, guest, text=A).json()["job"]["id"]
        url = f"{guest.space}/jobs/{job}"
        headers = guest.bearer("write")
        cancelled = world.http.post(f"{url}/cancel", headers=headers)
        assert (cancelled.status_code, cancelled.json()["state"]) == (200, "cancelled")
        assert get(world, guest, "/documents")["items"][0]["failure_code"] == "cancelled"
        again = world.http.post(f"{url}/cancel", headers=headers)
        assert (again.status_code, again.json()["code"]) == (409, "job_ended")
        assert world.http.post(f"{url}/retry", headers=headers).json()["state"] == "queued"
        world.drain()
        assert get(world, guest, f"/jobs/{job}")["state"] == "done"
        twice = world.http.post(f"{url}/retry", headers=headers)
        assert (twice.status_code, twice.json()["code"]) == (409, "job_not_retryable")

    def test_events_follow_a_job_to_its_end_and_hold_no_connection(
        self, world: World, guest: Account, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(shared_streams, "LIVE_SECONDS", 0.01)
        job_id = post(world, guest, text=A).json()["job"]["id"]
        reached, go_on = threading.Event(), threading.Event()

        def slow(run: JobContext) -> None:
            with run.open_space() as space:
                run.record_progress(space, stage="halfway", progress=50)
            reached.set()
            assert go_on.wait(20)
            with run.open_space() as space:
                run.finish_done(space, counts={})

        runner = Runner(world.citegraph.database, world.citegraph.settings, {IngestDocuments.kind: slow})
        worker = threading.Thread(target=runner.drain)
        worker.start()
        assert reached.wait(20)
        # The stream's whole text is read at once, so somebody else lets the job go on meanwhile.
        threading.Timer(0.3, go_on.set).start()
        answer = world.http.get(f"{guest.space}/jobs/{job_id}/events", headers=guest.bearer("read"))
        worker.join(20)
        assert answer.headers["content-type"].startswith("text/event-stream")
        events = [block.splitlines() for block in answer.text.strip().split("\n\n")]
        assert [lines[0] for lines in events] == ["event: job", "event: job", "event: end"]
        assert '"stage":"halfway"' in events[0][1]
        assert '"state":"done"' in events[1][1]
        assert "done" in events[2][1]
        # The world's pool of four is all given back.
        assert world.citegraph.database.engine.pool.checkedout() == 0  # type: ignore[attr-defined]

    def test_events_end_when_the_space_goes(
        self, world: World, guest: Account, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(shared_streams, "LIVE_SECONDS", 0.01)
        job_id = post(world, guest, text=A).json()["job"]["id"]
        read = queue.get_job

        def gone(*arguments: Any) -> Any:
            monkeypatch.setattr(queue, "get_job", read)
            job = read(*arguments)
            threading.Thread(
                target=world.http.delete, args=(guest.space,), kwargs={"headers": guest.bearer("admin")}
            ).start()
            return job

        monkeypatch.setattr(queue, "get_job", gone)
        answer = world.http.get(f"{guest.space}/jobs/{job_id}/events", headers=guest.bearer("read"))
        end = json.loads(answer.text.rstrip().rpartition("data: ")[2])
        assert (end["state"], end["reason"]) in (("gone", "gone"), ("cancelled", "finished"))


class TestLists:
    @pytest.mark.parametrize("path", ["/documents", "/jobs", "/graph/nodes", "/graph/edges"])
    @pytest.mark.parametrize("limit", [1, 2, 3])
    def test_pages_hold_everything_once_and_in_order(self, world: World, path: str, limit: int) -> None:
        whole = get(world, world.a, path, limit=200)
        assert whole["next_cursor"] is None
        assert len(whole["items"]) >= 2
        assert self._walk(world, world.a.space + path, limit) == whole["items"]

    @pytest.mark.parametrize("path", ["/v1/api-keys", "/v1/audit", "/v1/usage", "/v1/spaces"])
    def test_lists_of_the_tenant_have_pages(self, world: World, guest: Account, path: str) -> None:
        for name in ("s1", "s2"):
            made = world.http.post("/v1/spaces", headers=guest.bearer(), json={"name": name}).json()["id"]
            body = {"text": f"{A} {name}"}
            world.http.post(f"/v1/spaces/{made}/documents", headers=guest.bearer(), json=body)
        whole = world.http.get(path, headers=guest.bearer(), params={"limit": 200}).json()["items"]
        assert len(whole) >= 2
        fresh = [{**key, "last_used_at": None} for key in whole]
        walked = self._walk(world, path, 1, guest)
        assert [{**key, "last_used_at": None} for key in walked] == fresh

    def test_chunks_in_the_order_of_the_document(self, world: World, guest: Account) -> None:
        body = "\n\n".join(f"# Part {number}\n\nAda{number} created Engine{number}." for number in range(7))
        made = post(world, guest, text=body, format="markdown").json()["documents"][0]["id"]
        world.drain()
        chunks = self._walk(world, f"{guest.space}/documents/{made}/chunks", 2, guest)
        assert [chunk["ordinal"] for chunk in chunks] == list(range(7))

    def test_the_list_of_tenants_has_pages(self, world: World) -> None:
        whole = world.http.get("/v1/tenants", headers=routes.operator(), params={"limit": 200}).json()[
            "items"
        ]
        names, cursor = [], None
        while True:
            params = {"limit": 1, **({"cursor": cursor} if cursor else {})}
            page = world.http.get("/v1/tenants", headers=routes.operator(), params=params).json()
            names += [item["name"] for item in page["items"]]
            cursor = page["next_cursor"]
            if cursor is None:
                break
        assert names == [key["name"] for key in whole]

    @staticmethod
    def _walk(world: World, url: str, limit: int, account: Account | None = None) -> list[Any]:
        headers = (account or world.a).bearer()
        items: list[Any] = []
        cursor = None
        while True:
            params = {"limit": limit, **({"cursor": cursor} if cursor else {})}
            page = world.http.get(url, headers=headers, params=params).json()
            assert len(page["items"]) <= limit
            items += page["items"]
            cursor = page["next_cursor"]
            if cursor is None:
                return items


class TestGraph:
    EDGE = frozenset(
        [
            "id",
            "from_node_id",
            "to_node_id",
            "relation_type",
            "weight",
            "confidence",
            "status",
            "evidence",
            "quote",
            "valid_from",
            "invalidated_at",
            "polarity",
            "layer",
            "unsupported",
        ]
    )
    EVIDENCE = frozenset(
        ["chunk_id", "document_id", "document_title", "quote", "char_start", "char_end", "place"]
    )

    def test_explain_shows_the_path_and_the_passage(self, world: World) -> None:
        """Design section 7."""
        body = {"question": "What did Michael Stonebraker create?"}
        answer = world.http.post(f"{world.a.space}/graph/explain", headers=world.a.bearer("read"), json=body)
        told = answer.json()
        names = "question anchors paths nodes edges citations contested denials reported narrative truncated"
        assert set(told) == {
            *names.split(),
            "why_not",
            "warnings",
            "attributes",
            "statements",
            "named_together",
        }
        assert told["anchors"][0]["node"]["canonical_name"] == "Michael Stonebraker"
        assert set(told["paths"][0]) == {"nodes", "edges", "hops", "score", "attribute"}
        assert {"Ingres", "Postgres"} <= {node["canonical_name"] for node in told["nodes"]}
        for edge in told["edges"]:
            assert set(edge) == self.EDGE
            assert set(edge["evidence"]) == self.EVIDENCE
        assert told["citations"][0]["number"] == 1
        assert "[1]" in told["narrative"]
        assert told["warnings"] == []

    def test_explain_between_two_ends(self, world: World) -> None:
        body = {"from": "Ada Lovelace", "to": "Analytical Engine", "max_hops": 2}
        told = world.http.post(f"{world.a.space}/graph/explain", headers=world.a.bearer(), json=body).json()
        assert told["question"] is None
        assert [path["hops"] for path in told["paths"]] == [2] or told["warnings"]

    def test_neighborhoods_and_neighbors_are_filtered(self, world: World) -> None:
        node, space = world.a.node_id, world.a
        around = get(world, space, f"/graph/neighborhood/{node}", depth=2, direction="outgoing")
        assert around["center"]["id"] == str(node)
        assert {node["distance"] for node in around["nodes"]} >= {0, 1}
        none = get(world, space, f"/graph/neighborhood/{node}", relation_type=["owns", "knows"])
        assert none["edges"] == []
        body = {"node_ids": [str(node)], "filters": {"as_of": datetime.now(UTC).isoformat()}}
        same = world.http.post(f"{space.space}/graph/neighbors", headers=space.bearer(), json=body).json()
        assert str(node) in [node["node"]["id"] for node in same["nodes"]]
        edges = get(
            world, space, "/graph/edges", node_id=str(node), relation_type="created", min_confidence=0.5
        )
        assert {item["relation_type"] for item in edges["items"]} == {"created"}
        detail = get(world, space, f"/graph/nodes/{node}")
        assert {relation["relation_type"] for relation in detail["relations"]} >= {"created"}
        types = get(world, space, "/graph/relation-types")["items"]
        assert types[0]["edges"] >= types[-1]["edges"]


class TestHealth:
    def test_ready_says_the_schema_and_the_broker(self, world: World) -> None:
        body = world.http.get("/readyz").json()
        revision = body["schema_revision"]
        assert body == {
            "status": "ready",
            "schema_revision": revision,
            "broker": "silent",
            "workers": None,
            "replicas": None,
        }

    def test_metrics_name_routes_and_no_tenant(self, world: World) -> None:
        get(world, world.a, "/graph/nodes")
        world.http.get("/nothing/" + str(world.a.space_id))
        text = world.http.get("/metrics").text
        assert 'route="/v1/spaces/{space_id}/graph/nodes",status="200"' in text
        assert 'route="unmatched",status="404"' in text
        assert "citegraph_http_request_seconds_bucket" in text
        assert str(world.a.space_id) not in text
        assert str(world.a.tenant_id) not in text

    def test_without_a_database_it_is_alive_and_not_ready(self, citegraph: Citegraph) -> None:
        """Faults 8 and 9: 503 with the one shape, nothing of the address in it, and a hint when to retry."""
        url = "postgresql+psycopg://nobody:hunter2@127.0.0.1:1/none"
        database = Database(create_app_engine(url, citegraph.settings), citegraph.settings)
        broken = assemble_citegraph(citegraph.settings, database, citegraph.broker)
        with TestClient(create_app(broken)) as http:
            assert http.get("/healthz").status_code == 200
            for path, headers in (("/readyz", {}), ("/v1/tenants", routes.operator())):
                answer = http.get(path, headers=headers)
                assert (answer.status_code, answer.json()["code"]) == (503, "database_unavailable")
                assert "retry-after" in answer.headers
                assert "hunter2" not in answer.text
            refusals = 'citegraph_refusals_total{reason="database_unavailable"} 2.0'
            assert refusals in http.get("/metrics").text
        broken.database.dispose()

    def test_what_nobody_foresaw_answers_500_with_nothing_in_it(
        self, world: World, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fail(*_: Any, **__: Any) -> None:
            raise RuntimeError("secret words of the inside")

        monkeypatch.setattr(queue, "list_jobs", fail)
        with capture_logs() as logs:
            answer = world.http.get(f"{world.a.space}/jobs", headers=world.a.bearer())
        assert (answer.status_code, answer.json()["code"]) == (500, "internal_error")
        assert "secret words" not in answer.text
        # Now and then it is also said that rates are counted here, since this world has no Valkey.
        told = [log["event"] for log in logs if log["event"] != "rate_limits_local"]
        assert told == ["unexpected_error", "request"]

    def test_a_commit_that_fails_is_the_answer(
        self, world: World, guest: Account, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """stack.md 13: never a 202 for what was not stored."""

        def fail(*_: Any, **__: Any) -> None:
            raise OperationalError("COMMIT", {}, Exception("gone"))

        post(world, guest, text="Ada knows Wong.")
        monkeypatch.setattr("sqlalchemy.orm.Session.commit", fail)
        with capture_logs():
            answer = post(world, guest, text=A)
        assert answer.status_code >= 500
        monkeypatch.undo()
        assert len(get(world, guest, "/documents")["items"]) == 1


def test_a_method_that_a_path_does_not_have_is_refused_as_such_and_never_as_another_path(
    world: World, guest: Account
) -> None:
    """A fixed word where another path takes an id is that word: GET of it is 405, not an unknown id."""
    paths = world.http.get("/openapi.json").json()["paths"]
    assert len(paths) > 25
    ids = {name: str(getattr(guest, name, uuid4())) for name in ("space_id", "document_id", "community_id")}
    for path, methods in paths.items():
        at = re.sub(r"{(\w+)}", lambda name: ids.get(name[1], str(uuid4())), path)
        headers = routes.operator() if path.startswith("/v1/tenants") else guest.bearer()
        for method in {"GET", "POST", "PUT", "PATCH", "DELETE"} - {method.upper() for method in methods}:
            answer = world.http.request(method, at, headers=headers)
            assert answer.status_code == 405, (method, path)
            assert answer.json()["code"] == "method_not_allowed"
