"""The other tenant says exactly what is asked, and is never heard (issue 4): every route that reads, in every
form.
"""

import re
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
from starlette.testclient import TestClient

from app.derived.summaries.job import evaluate_changed_nodes_and_save_summaries
from app.derived.summaries.scheduling import enqueue_or_hasten_gate_evaluation_of_all_nodes
from app.ingest.model_double_answers import RulesAnswerer
from app.jobs.kinds import RefreshSummaries
from app.llm.client import ModelClient
from app.llm.testing import ModelDouble
from app.main import create_app
from app.retrieval.shapes import Scoring, Strategy
from app.wiring import assemble_citegraph
from tests.api import routes
from tests.api.conftest import Account, World, detect_communities, make_keys
from tests.conftest import make_home, under
from tests.support.sampling import sampled
from workers.runner import Runner

QUESTION = "What did Michael Stonebraker create?"
UUIDS = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
# The question itself is the nearest vector and the best match of its words, and its names are nodes with
# facts.
NEAREST = f"{QUESTION} CANARY_N"
CLAIMS = "Michael Stonebraker created CanaryEngine. CanaryEngine uses SQL. CanaryWorks owns CanaryEngine."
SECRETS = ("CANARY_N", "created CanaryEngine", "CanaryEngine uses", "owns CanaryEngine", "owns: CanaryEngine")
ASKED: list[tuple[str, dict[str, Any]]] = [
    *(
        ("/retrieve", {"query": QUESTION, "strategy": strategy, "scoring": scoring, "top_k": 100})
        for strategy in Strategy
        for scoring in Scoring
    ),
    ("/ask", {"question": QUESTION}),
    ("/ask", {"question": QUESTION, "scope": "global"}),
    ("/graph/explain", {"question": QUESTION}),
    ("/graph/explain", {"question": "CanaryEngine?"}),
    ("/graph/explain", {"from": "Michael Stonebraker", "to": "SQL"}),
    ("/graph/explain", {"from": "CanaryWorks", "to": "CanaryEngine"}),
]
FORMS = [{}, {"accept": "text/event-stream"}]


@pytest.fixture(scope="module")
def nearest(world: World) -> Account:
    """A tenant with the nearest passage, with communities and summaries of its own."""
    home = make_home(world.citegraph.database, "nearest")
    none = world.a.node_id
    account = Account("N", home, make_keys(world.citegraph.database, home), *[none] * 10)
    for text in (NEAREST, CLAIMS):
        sent = world.http.post(f"{account.space}/documents", headers=account.bearer(), json={"text": text})
        assert sent.status_code == 202
    world.drain()
    for owner in (home, world.a.home):
        detect_communities(world.citegraph, owner)
        with world.citegraph.database.open_space(owner.tenant_id, owner.space_id) as space:
            enqueue_or_hasten_gate_evaluation_of_all_nodes(space)
        handlers = {
            RefreshSummaries.kind: partial(
                evaluate_changed_nodes_and_save_summaries, client=world.citegraph.client
            )
        }
        Runner(world.citegraph.database, world.citegraph.settings, handlers).drain()
    return account


@pytest.fixture(scope="module")
def theirs(world: World, nearest: Account) -> set[str]:
    """Every id of the other tenant's space."""
    with world.citegraph.database.open_space(nearest.home.tenant_id, nearest.home.space_id) as space:
        found = {
            str(made)
            for table in ("document", "knowledge_chunk", "graph_node", "graph_edge", "community")
            for (made,) in space.connection.execute(f"SELECT id FROM {table}".encode()).fetchall()
        }
    assert len(found) > 10
    return found


@pytest.fixture(scope="module")
def with_model(world: World) -> Iterator[TestClient]:
    """The same service with a model that quotes whatever its prompt holds."""
    with ModelDouble(RulesAnswerer()) as double:
        client = ModelClient(api_key="unused", base_url=double.base_url, model="double", timeout=5)
        database = under(world.citegraph.database, world.citegraph.settings)
        parts = assemble_citegraph(world.citegraph.settings, database, world.citegraph.broker, client)
        with TestClient(create_app(parts)) as http:
            yield http
        client.close()


def ask(http: TestClient, account: Account, path: str, body: dict[str, Any], **headers: str) -> str:
    answer = http.post(account.space + path, headers=account.bearer("read") | headers, json=body)
    assert answer.status_code == 200, answer.text
    return str(answer.text)


def assert_unheard(said: str, theirs: set[str]) -> None:
    """Neither its sentences nor its ids; a name that was asked for may be repeated."""
    assert not [secret for secret in SECRETS if secret in said]
    assert set(UUIDS.findall(said)) & theirs == set()


@pytest.mark.parametrize(
    ("path", "body"), sampled([pytest.param(*asked) for asked in ASKED], every=2), ids=str
)
def test_no_question_is_answered_from_it(
    world: World, nearest: Account, theirs: set[str], path: str, body: dict[str, Any]
) -> None:
    for headers in FORMS if path == "/ask" else FORMS[:1]:
        assert_unheard(ask(world.http, world.a, path, body, **headers), theirs)


@pytest.mark.parametrize("scope", ["local", "global"])
@pytest.mark.parametrize("headers", FORMS, ids=["json", "stream"])
def test_no_model_is_shown_the_nearest_name(
    world: World,
    nearest: Account,
    theirs: set[str],
    with_model: TestClient,
    scope: str,
    headers: dict[str, str],
) -> None:
    body = {"question": QUESTION, "scope": scope}
    said = ask(with_model, world.a, "/ask", body, **headers)
    assert '"mode":"model"' in said.replace(" ", "")
    assert_unheard(said, theirs)


def test_no_list_and_no_lookup_shows_it(world: World, nearest: Account, theirs: set[str]) -> None:
    for operation in routes.operations(world.http.get("/openapi.json").json()):
        if operation.scope == "read":
            assert_unheard(operation.send(world, world.a).text, theirs)
    for name, value in (("q", "Canary"), ("q", "CANARY_N"), ("tag", "canary")):
        url = f"{world.a.space}/graph/nodes"
        found = world.http.get(url, headers=world.a.bearer(), params={name: value}).json()["items"]
        assert not {node["id"] for node in found} & theirs


def test_to_its_own_tenant_it_is_what_is_nearest(world: World, nearest: Account) -> None:
    """So that the others of this file mean something."""
    for strategy in ("hybrid", "knowledge_only"):
        body = {"query": QUESTION, "strategy": strategy}
        answer = world.http.post(f"{nearest.space}/retrieve", headers=nearest.bearer(), json=body).json()
        assert any("CANARY_N" in passage["text"] for passage in answer["passages"])
    for path, body in ASKED[-6:]:
        assert "canary" in ask(world.http, nearest, path, body).lower(), (path, body)
