"""Embedding endpoints and graph channels that fail cost an answer quality, said in a warning, and never its
status.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import psycopg
import pytest
from sqlalchemy import URL
from starlette.testclient import TestClient

from app.db.engine import convert_to_conninfo
from app.ids import SpaceId, TenantId
from app.ingest.job import ingest_documents
from app.ingest.model_double_answers import RulesAnswerer
from app.jobs.kinds import IngestDocuments
from app.llm.client import ModelClient
from app.llm.testing import Fault, ModelDouble
from app.llm.testing import Mode as M
from app.main import create_app
from app.tenancy.spaces import service as spaces
from app.tenancy.tenants import service as tenants
from app.wiring import Citegraph, assemble_citegraph
from tests.api.conftest import Account, World, make_keys
from tests.conftest import Home, under
from tests.support.citus import table_locked
from workers.runner import Runner

STREAM = {"accept": "text/event-stream"}
UNEMBEDDED = "The question could not be embedded"
NO_GRAPH = "The graph did not answer"
QUESTION = "What did Michael Stonebraker create?"


@pytest.fixture
def server(admin_url: URL, api_url: URL) -> URL:
    """The server's own address of the application's database, for whoever locks and breaks."""
    return admin_url.set(database=api_url.database)


@pytest.fixture
def superuser(server: URL) -> str:
    """The same as libpq reads it."""
    return convert_to_conninfo(server)


@pytest.fixture(scope="module")
def double() -> Iterator[ModelDouble]:
    with ModelDouble(RulesAnswerer()) as running:
        yield running


@contextmanager
def behind(world: World, double: ModelDouble) -> Iterator[Citegraph]:
    """The same parts with embeddings of a server, whose breaker has seen nothing."""
    client = ModelClient(
        api_key="unused", base_url=double.base_url, model="double", timeout=1, sleep=lambda _seconds: None
    )
    settings = world.citegraph.settings.model_copy(update={"embedding_model": "double-embedding"})
    parts = assemble_citegraph(
        settings, under(world.citegraph.database, settings), world.citegraph.broker, client
    )
    yield parts
    parts.extractors.close()
    parts.retriever.close()
    client.close()


@pytest.fixture(scope="module")
def embedded(world: World, double: ModelDouble) -> Account:
    """A tenant whose space was filled while the endpoint was up."""
    with behind(world, double) as parts:
        with parts.database.open_platform() as platform:
            tenant_id = TenantId(tenants.create_tenant(platform, name="embedded", actor="test").id)
        with parts.database.open_tenant(tenant_id) as tenant:
            space = spaces.create_space(
                tenant,
                name="library",
                embedding_model=parts.embedders.model,
                embedding_dimensions=parts.embedders.dimensions,
                actor="test",
            )
        home = Home(tenant_id, SpaceId(space.id))
        account = Account("E", home, make_keys(parts.database, home), *[world.a.node_id] * 10)
        text = "Michael Stonebraker created Ingres. Ingres uses QUEL. Lawrence Rowe works on Ingres."
        world.http.post(f"{account.space}/documents", headers=account.bearer(), json={"text": text})
        handlers = {IngestDocuments.kind: partial(ingest_documents, extractors=parts.extractors)}
        Runner(parts.database, parts.settings, handlers).drain()
    return account


@pytest.fixture
def http(world: World, double: ModelDouble) -> Iterator[TestClient]:
    double.reset()
    with behind(world, double) as parts, TestClient(create_app(parts)) as http:
        yield http
    double.reset()


def answers(http: TestClient, account: Account, question: str) -> list[tuple[str, str]]:
    """What every way of asking says, each with its status 200."""
    found = []
    for path, name, headers in (
        ("/retrieve", "query", {}),
        ("/ask", "question", {}),
        ("/ask", "question", STREAM),
        ("/graph/explain", "question", {}),
    ):
        answer = http.post(
            account.space + path, headers=account.bearer("read") | headers, json={name: question}
        )
        assert answer.status_code == 200, answer.text
        assert "Michael Stonebraker created Ingres." in answer.text
        found.append((path, answer.text))
    return found


@pytest.mark.parametrize(
    "mode",
    [
        M.REFUSED,
        pytest.param(M.SERVER_ERROR, marks=pytest.mark.soak),
        pytest.param(M.RATE_LIMITED, marks=pytest.mark.soak),
        M.STATUS,
        pytest.param(M.HANG, marks=pytest.mark.soak),
        M.HTML,
        pytest.param(M.HALF_ENVELOPE, marks=pytest.mark.soak),
        M.WRONG_DIMENSION,
        M.NAN_VECTOR,
        pytest.param(M.HUGE_VECTOR, marks=pytest.mark.soak),
        pytest.param(M.ZERO_VECTOR, marks=pytest.mark.soak),
    ],
)
def test_an_embedding_endpoint_that_fails_is_a_warning_until_it_is_back(
    http: TestClient, embedded: Account, double: ModelDouble, mode: M
) -> None:
    """Bad inputs 44 and 45 at the time of a question."""
    double.faults.add(Fault(mode, path="embeddings", status=403 if mode is M.STATUS else 500))
    for path, said in answers(http, embedded, QUESTION):
        assert (UNEMBEDDED in said) == (path != "/graph/explain"), (path, said)


def test_an_embedding_endpoint_that_is_back_is_no_warning(
    http: TestClient, embedded: Account, double: ModelDouble
) -> None:
    """An answer without meaning is not kept for those who ask after."""
    double.faults.add(Fault(M.WRONG_DIMENSION, path="embeddings"))
    assert all(UNEMBEDDED in said for path, said in answers(http, embedded, QUESTION) if path == "/retrieve")
    double.reset()
    assert not any(UNEMBEDDED in said or NO_GRAPH in said for _, said in answers(http, embedded, QUESTION))


@pytest.mark.parametrize("strategy", ["hybrid", pytest.param("graph_only", marks=pytest.mark.soak)])
def test_a_graph_that_does_not_answer_is_a_warning_until_it_does(
    world: World, server: URL, strategy: str
) -> None:
    """Requirement 9.2. Somebody holds the mentions for longer than the graph's channel may take."""
    asked = {"query": f"What did Michael Stonebraker create, {strategy}?", "strategy": strategy}

    def retrieve() -> dict[str, Any]:
        answer = world.http.post(f"{world.a.space}/retrieve", headers=world.a.bearer("read"), json=asked)
        assert answer.status_code == 200, answer.text
        assert "Michael Stonebraker created Ingres." in answer.text
        found: dict[str, Any] = answer.json()
        return found

    with table_locked(server, "node_mention"):
        found = retrieve()
        assert any(NO_GRAPH in warning for warning in found["warnings"])
        assert (found["facts"], found["strategy"]) == ([], strategy)
    # The answer without it is not kept.
    assert not any(NO_GRAPH in warning for warning in retrieve()["warnings"])


@pytest.mark.parametrize(
    ("path", "headers"), [("retrieve", {}), ("ask", {}), ("ask", STREAM)], ids=["retrieve", "ask", "stream"]
)
def test_a_question_whose_statement_takes_too_long_is_503(
    world: World, server: URL, path: str, headers: dict[str, str]
) -> None:
    """Somebody holds the chunks for longer than a statement of a question may take."""
    settings = world.citegraph.settings.model_copy(update={"answer_timeout": 0.3})
    parts = assemble_citegraph(settings, under(world.citegraph.database, settings), world.citegraph.broker)
    asked = {"query" if path == "retrieve" else "question": f"Who created Ingres, by {path}{len(headers)}?"}
    with TestClient(create_app(parts)) as http, table_locked(server, "knowledge_chunk"):
        answer = http.post(
            f"{world.a.space}/{path}", headers={**world.a.bearer("read"), **headers}, json=asked
        )
        assert (answer.status_code, answer.json()["code"]) == (503, "too_slow")
        assert "retry-after" in answer.headers
    parts.retriever.close()
    parts.extractors.close()


@pytest.mark.parametrize("headers", [{}, STREAM], ids=["json", "stream"])
def test_a_graph_that_fails_leaves_an_answer(world: World, superuser: str, headers: dict[str, str]) -> None:
    """Not by being slow alone: here its statement may not read a table."""
    with psycopg.connect(superuser, autocommit=True) as breaker:
        breaker.execute("REVOKE SELECT ON node_name FROM citegraph_app")
        try:
            answer = world.http.post(
                f"{world.a.space}/ask",
                headers=world.a.bearer("read") | headers,
                json={"question": f"What did Michael Stonebraker create? {len(headers)}"},
            )
        finally:
            breaker.execute("GRANT SELECT ON node_name TO citegraph_app")
    assert answer.status_code == 200, answer.text
    assert "The graph could not be asked" in answer.text
    assert "Michael Stonebraker created Ingres." in answer.text
