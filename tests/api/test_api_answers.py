"""POST /retrieve and /ask: passages with scores, cited answers, streams that end, models that fail
(requirement 10).
"""

import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import httpx2
import pytest
from starlette.testclient import TestClient

from app.db.database import Database
from app.http.bulkheads import Bulkheads
from app.http.concurrency_limit import ConcurrencyLimit
from app.ingest.model_double_answers import RulesAnswerer
from app.llm.client import ModelClient
from app.llm.testing import Fault, ModelDouble
from app.llm.testing import Mode as M
from app.main import create_app
from app.wiring import Citegraph, assemble_citegraph
from tests.api.conftest import Account, World, serving
from tests.conftest import under

QUESTION = "What did Michael Stonebraker create?"
STREAM = {"accept": "text/event-stream"}


@pytest.fixture(scope="module")
def running_double() -> Iterator[ModelDouble]:
    with ModelDouble(RulesAnswerer()) as double:
        yield double


@pytest.fixture
def double(running_double: ModelDouble) -> Iterator[ModelDouble]:
    """A double without faults and scripts."""
    running_double.reset()
    yield running_double
    running_double.reset()


@pytest.fixture
def with_model(citegraph: Citegraph, double: ModelDouble) -> Iterator[Citegraph]:
    """The same parts with a model; its breaker has seen nothing."""
    client = ModelClient(
        api_key="unused", base_url=double.base_url, model="double", timeout=2, sleep=lambda _seconds: None
    )
    yield assemble_citegraph(
        citegraph.settings, under(citegraph.database, citegraph.settings), citegraph.broker, client
    )
    client.close()


def post(http: TestClient, account: Account, path: str, body: Any, **headers: str) -> Any:
    return http.post(account.space + path, headers=account.bearer("read") | headers, json=body)


def events(answer: httpx2.Response) -> list[tuple[str, Any]]:
    """(name, data) of each event of a stream."""
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].startswith("text/event-stream")
    found = []
    for block in answer.text.strip().split("\n\n"):
        lines = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
        found.append((lines["event"], json.loads(lines["data"])))
    return found


def assert_resolves(world: World, account: Account, citations: list[dict[str, Any]]) -> None:
    """Each citation is a chunk of this space that holds the quote at the range."""
    for citation in citations:
        read = world.http.get(
            f"{account.space}/chunks/{citation['chunk_id']}", headers=account.bearer("read")
        )
        assert read.status_code == 200
        chunk = read.json()
        assert chunk["document_id"] == citation["document_id"]
        start = citation["char_start"] - chunk["char_start"]
        assert chunk["text"][start : start + len(citation["quote"])] == citation["quote"] != ""
        assert citation["char_end"] - citation["char_start"] == len(citation["quote"])


class TestRetrieve:
    def test_passages_come_with_scores_reasons_and_facts(self, world: World) -> None:
        found = post(world.http, world.a, "/retrieve", {"query": QUESTION}).json()
        assert found["query"] == QUESTION
        assert found["anchors"][0]["node"]["canonical_name"] == "Michael Stonebraker"
        best = found["passages"][0]
        assert "Michael Stonebraker created Ingres." in best["text"]
        assert best["why"]
        assert best["breakdown"]
        scores = [passage["score"] for passage in found["passages"]]
        assert scores == sorted(scores, reverse=True)
        relations = {fact["edge"]["relation_type"] for fact in found["facts"]}
        assert "created" in relations
        assert all(fact["breakdown"]["confidence"] > 0 for fact in found["facts"])
        assert "[1]" in found["narrative"]

    @pytest.mark.parametrize("strategy", ["hybrid", "knowledge_only", "graph_only"])
    @pytest.mark.parametrize("scoring", ["walk", "hybrid", "text_overlap", "temporal"])
    def test_each_strategy_and_scoring_returns_passages(
        self, world: World, strategy: str, scoring: str
    ) -> None:
        body = {"query": QUESTION, "strategy": strategy, "scoring": scoring, "top_k": 1}
        found = post(world.http, world.a, "/retrieve", body)
        assert found.status_code == 200, found.text
        assert [found.json()[name] for name in ("strategy", "scoring")] == [strategy, scoring]
        assert len(found.json()["passages"]) == 1

    def test_nothing_is_found_in_an_empty_space(self, world: World, guest: Account) -> None:
        found = post(world.http, guest, "/retrieve", {"query": QUESTION})
        assert found.status_code == 200
        assert (found.json()["passages"], found.json()["facts"]) == ([], [])

    @pytest.mark.parametrize(
        "body",
        [
            {},
            {"query": ""},
            {"query": " \t"},
            {"query": "w " * 600},
            {"query": "a", "top_k": 0},
            {"query": "a", "top_k": -1},
            {"query": "a", "top_k": 101},
            {"query": "a", "top_k": 2**63},
            {"query": "a", "top_k": True},
            {"query": "a", "min_score": 1.5},
            {"query": "a", "min_score": -0.1},
            {"query": "a", "strategy": "magic"},
            {"query": "a", "scoring": "luck"},
            {"query": "a", "space_id": "x"},
            {"query": "a\x00b"},
            {"query": "a", "as_of": "yesterday"},
        ],
        ids=str,
    )
    def test_invalid_queries_are_422(self, world: World, body: dict[str, Any]) -> None:
        refused = post(world.http, world.a, "/retrieve", body)
        assert refused.status_code == 422, refused.text
        assert len(refused.content) < 1_024

    @pytest.mark.parametrize(
        "text", ["a & | b", "' or 1=1 --", "the of and", "%", "-a " * 300, "\\", "日本", "?"]
    )
    def test_strange_words_find_something_or_nothing(self, world: World, text: str) -> None:
        """Bad inputs 33 to 35."""
        assert post(world.http, world.a, "/retrieve", {"query": text}).status_code == 200


class TestAskWithoutAModel:
    def test_quotes_are_the_answer_and_it_says_so(self, world: World) -> None:
        found = post(world.http, world.a, "/ask", {"question": QUESTION}).json()
        assert (found["mode"], found["model"], found["usage"]["calls"]) == ("extractive", None, 0)
        assert found["warnings"] == ["No model is set up: the answer only quotes."]
        assert found["sentences"][0]["text"].startswith("Michael Stonebraker created ")
        assert all(sentence["citations"] for sentence in found["sentences"])
        assert "created: Ingres [" in found["context"]["facts"]
        assert found["citations"]
        assert_resolves(world, world.a, found["citations"])

    def test_the_short_answer_stands_in_the_first_sentence(self, world: World) -> None:
        found = post(world.http, world.a, "/ask", {"question": "Who created Ingres?"}).json()
        span = found["answer_span"]
        assert (span["kind"], span["text"], span["sentence"]) == ("name", "Michael Stonebraker", 0)
        assert found["sentences"][0]["text"][span["start"] : span["end"]] == "Michael Stonebraker"
        whole = post(world.http, world.a, "/ask", {"question": "What about Ingres?"}).json()
        assert whole["sentences"]
        assert whole["answer_span"] is None

    def test_the_stream_ends_with_the_same_answer(self, world: World) -> None:
        whole = post(world.http, world.a, "/ask", {"question": QUESTION}).json()
        found = events(post(world.http, world.a, "/ask", {"question": QUESTION}, **STREAM))
        names = [name for name, _ in found]
        assert names == ["context", *["sentence"] * len(whole["sentences"]), "citations", "done"]
        assert found[-1][1] == whole
        assert [data for name, data in found if name == "sentence"] == whole["sentences"]
        assert found[-2][1] == {"citations": whole["citations"], "removed": []}

    def test_an_empty_space_has_no_answer(self, world: World, guest: Account) -> None:
        found = post(world.http, guest, "/ask", {"question": QUESTION}).json()
        assert (found["mode"], found["sentences"], found["citations"]) == ("nothing", [], [])

    @pytest.mark.parametrize("headers", [{}, STREAM], ids=["json", "stream"])
    @pytest.mark.parametrize(
        ("body", "status", "code"),
        [
            ({}, 422, "invalid_input"),
            ({"question": ""}, 422, "blank"),
            ({"question": " \n "}, 422, "blank"),
            ({"question": "w " * 600}, 422, "too_long"),
            ({"question": "a\x00"}, 422, "invalid_character"),
            ({"question": 7}, 422, "invalid_input"),
            ({"question": "a", "scope": "universal"}, 422, "invalid_input"),
            ({"question": "a", "history": [{"speaker": "system", "text": "x"}]}, 422, "invalid_input"),
            ({"question": "a", "history": [{"speaker": "user", "text": "x"}] * 11}, 422, "too_long"),
            ({"question": "a", "history": [{"speaker": "user", "text": "x" * 4_001}]}, 422, "too_long"),
            ({"question": "a", "tenant_id": "x"}, 422, "invalid_input"),
            (None, 422, "invalid_input"),
            ([], 422, "invalid_input"),
        ],
        ids=str,
    )
    def test_what_cannot_be_asked_has_a_status_of_its_own(
        self, world: World, headers: dict[str, str], body: Any, status: int, code: str
    ) -> None:
        refused = post(world.http, world.a, "/ask", body, **headers)
        assert (refused.status_code, refused.json()["code"]) == (status, code)
        assert refused.headers["content-type"] == "application/problem+json"

    @pytest.mark.parametrize("headers", [{}, STREAM], ids=["json", "stream"])
    def test_a_global_question_needs_communities(
        self, world: World, guest: Account, headers: dict[str, str]
    ) -> None:
        refused = post(
            world.http, guest, "/ask", {"question": "What is it about?", "scope": "global"}, **headers
        )
        assert (refused.status_code, refused.json()["code"]) == (409, "needs_communities")

    def test_another_tenants_space_is_not_found_in_either_form(self, world: World) -> None:
        for headers in ({}, STREAM):
            refused = world.http.post(
                f"{world.b.space}/ask", headers=world.a.bearer() | headers, json={"question": QUESTION}
            )
            assert (refused.status_code, refused.json()["code"]) == (404, "not_found")


class TestAskWithAModel:
    @pytest.fixture
    def http(self, with_model: Citegraph) -> Iterator[TestClient]:
        with TestClient(create_app(with_model)) as http:
            yield http

    def test_sentences_are_cited_and_resolve(self, world: World, http: TestClient) -> None:
        found = post(http, world.a, "/ask", {"question": QUESTION}).json()
        assert (found["mode"], found["model"], found["complete"]) == ("model", "double", True)
        assert found["warnings"] == []
        assert found["usage"]["calls"] == 2
        assert all(sentence["supported"] for sentence in found["sentences"])
        assert_resolves(world, world.a, found["citations"])

    def test_no_made_up_citation_is_streamed(
        self, world: World, http: TestClient, double: ModelDouble
    ) -> None:
        theirs = world.b.chunk_id
        double.when(
            lambda prompt: QUESTION in prompt,
            f"Michael Stonebraker created Ingres [1][99]. He created Postgres [{theirs}].",
        )
        answer = post(http, world.a, "/ask", {"question": QUESTION}, **STREAM)
        found = events(answer)
        assert [name for name, _ in found] == ["context", "sentence", "sentence", "citations", "done"]
        assert [data["citations"] for name, data in found if name == "sentence"] == [[1], []]
        removed = found[-2][1]["removed"]
        assert [(citation["mark"], citation["reason"]) for citation in removed] == [
            ("[99]", "not_in_context"),
            (f"[{theirs}]", "not_in_context"),
        ]
        streamed = found[-2][1]["citations"]
        assert [citation["number"] for citation in streamed] == [1]
        assert_resolves(world, world.a, streamed)

    @pytest.mark.parametrize(
        "mode", [M.REFUSED, M.SERVER_ERROR, M.HTML, M.CONTENT_NULL, M.STATUS, M.RATE_LIMITED]
    )
    def test_a_model_that_is_down_is_a_warning(
        self, world: World, http: TestClient, double: ModelDouble, mode: M
    ) -> None:
        double.faults.add(Fault(mode, status=403))
        found = post(http, world.a, "/ask", {"question": QUESTION})
        assert found.status_code == 200
        assert found.json()["mode"] == "extractive"
        assert found.json()["warnings"]
        assert_resolves(world, world.a, found.json()["citations"])
        names = [name for name, _ in events(post(http, world.a, "/ask", {"question": QUESTION}, **STREAM))]
        assert names[0] == "context"
        assert names[-2:] == ["citations", "done"]
        assert "error" not in names

    def test_a_cut_stream_is_an_error_event_after_what_was_streamed(
        self, world: World, http: TestClient, double: ModelDouble
    ) -> None:
        double.when(lambda prompt: QUESTION in prompt, "Michael Stonebraker created Ingres [1]. " * 8)
        double.faults.add(Fault(M.HALF_ENVELOPE))
        found = events(post(http, world.a, "/ask", {"question": QUESTION}, **STREAM))
        names = [name for name, _ in found]
        assert names[0] == "context"
        assert names[-3:] == ["error", "citations", "done"]
        assert set(names[1:-3]) == {"sentence"}
        assert found[-3][1]["code"] == "model_unavailable"
        assert (found[-1][1]["complete"], found[-1][1]["mode"]) == (False, "model")
        assert_resolves(world, world.a, found[-1][1]["citations"])

    def test_a_space_that_goes_while_it_streams_is_an_error_event(
        self, world: World, guest: Account, http: TestClient, double: ModelDouble, database_of: Database
    ) -> None:
        post_document = world.http.post(
            f"{guest.space}/documents",
            headers=guest.bearer(),
            json={"text": "Michael Stonebraker created Ingres.", "title": "Ingres"},
        )
        assert post_document.status_code == 202
        world.drain()

        def gone(prompt: str) -> bool:
            with database_of.open_tenant(guest.home.tenant_id) as tenant:
                tenant.connection.execute("DELETE FROM knowledge_space WHERE id = %s", [guest.space_id])
            return False

        double.when(gone, "never said")
        found = events(post(http, guest, "/ask", {"question": QUESTION}, **STREAM))
        assert found[0][0] == "context"
        assert (found[-1][0], found[-1][1]["status"], found[-1][1]["code"]) == ("error", 404, "not_found")

    @pytest.mark.soak
    def test_questions_to_a_model_that_hangs_hold_nobody_else_up(
        self, world: World, with_model: Citegraph, double: ModelDouble
    ) -> None:
        """One of a tenant is answered at a time here: its others wait for their turn, then are told to come
        again.
        """
        double.faults.add(Fault(M.HANG))
        app = create_app(with_model)
        app.state.bulkheads = replace(
            Bulkheads.from_settings(with_model.settings),
            questions=ConcurrencyLimit(2, 1, wait_seconds=0.2, code="too_many_questions", noun="questions"),
        )
        url, body = f"{world.a.space}/ask", {"question": QUESTION}
        with TestClient(app) as http, ThreadPoolExecutor(4) as pool:
            waiting = [
                pool.submit(http.post, url, headers=world.a.bearer() | headers, json=body)
                for headers in ({}, {}, STREAM, STREAM)
            ]
            assert post(http, world.b, "/retrieve", {"query": QUESTION}).status_code == 200
            done = [future.result(30) for future in waiting]
        refused = [response for response in done if response.status_code != 200]
        assert [(response.status_code, response.json()["code"]) for response in refused] == [
            (429, "too_many_questions")
        ] * 3
        assert all(response.headers["retry-after"] for response in refused)

    def test_whoever_hangs_up_stops_the_model_and_pays_for_what_was_written(
        self, world: World, guest: Account, with_model: Citegraph, double: ModelDouble
    ) -> None:
        world.http.post(
            f"{guest.space}/documents",
            headers=guest.bearer(),
            json={"text": "Michael Stonebraker created Ingres.", "title": "Ingres"},
        )
        world.drain()
        double.when(lambda prompt: QUESTION in prompt, "Michael Stonebraker created Ingres [1]. " * 200)
        double.faults.add(Fault(M.SLOW_DRIP, interval=0.02))
        with serving(with_model) as (host, port), httpx2.Client(trust_env=False) as http:
            with http.stream(
                "POST",
                f"http://{host}:{port}{guest.space}/ask",
                headers=guest.bearer() | STREAM,
                json={"question": QUESTION},
            ) as answer:
                lines = answer.iter_lines()
                assert any(line == "event: sentence" for line in lines)
            ledger = self.wait_for_ledger(world, guest)
        assert [row[0] for row in ledger] == ["interrupted"]
        assert 0 < ledger[0][1] < double.calls[-1].completion_tokens

    def wait_for_ledger(self, world: World, guest: Account) -> list[Any]:
        ends = time.monotonic() + 10
        while time.monotonic() < ends:
            with world.citegraph.database.open_space(guest.home.tenant_id, guest.home.space_id) as space:
                rows = space.connection.execute(
                    "SELECT outcome, completion_tokens FROM model_call WHERE knowledge_space_id = %s",
                    [guest.space_id],
                ).fetchall()
            if rows:
                return rows
        return []


@pytest.fixture
def database_of(world: World) -> Database:
    return world.citegraph.database
