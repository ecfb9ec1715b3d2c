"""Models that a tenant names, over HTTP: only the operator's, and nothing that one causes reaches another
(9.2, 16.4).
"""

import secrets
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
from sqlalchemy import text
from starlette.testclient import TestClient

from app.ingest.job import ingest_documents
from app.ingest.model_double_answers import RulesAnswerer
from app.jobs.kinds import IngestDocuments
from app.llm.client import ModelClient
from app.llm.testing import Fault, ModelDouble
from app.llm.testing import Mode as M
from app.main import create_app
from app.wiring import Citegraph, assemble_citegraph
from tests.api.conftest import Account, World, make_keys
from tests.conftest import make_home, under
from tests.support.sampling import sampled
from workers.runner import Runner

EVIL = "temperature dimensions response_format schema json_object0"
OFFERED = {"double-embedding": 256, "another-embedding": 256}


@pytest.fixture(scope="module")
def double() -> Iterator[ModelDouble]:
    with ModelDouble(RulesAnswerer()) as running:
        yield running


@pytest.fixture
def parts(world: World, double: ModelDouble) -> Iterator[Citegraph]:
    """The same parts with a model server, of which the operator offers two embedding models."""
    double.reset()
    client = ModelClient(
        api_key="unused", base_url=double.base_url, model="double", timeout=5, sleep=lambda _seconds: None
    )
    settings = world.citegraph.settings.model_copy(update={"embedding_models": OFFERED})
    made = assemble_citegraph(
        settings, under(world.citegraph.database, settings), world.citegraph.broker, client
    )
    yield made
    made.retriever.close()
    client.close()
    double.reset()


@pytest.fixture
def http(parts: Citegraph) -> Iterator[TestClient]:
    with TestClient(create_app(parts)) as http:
        yield http


@pytest.fixture
def other(guest: Account, parts: Citegraph) -> Account:
    """A second tenant beside the guest."""
    home = make_home(parts.database, f"other-{secrets.token_hex(4)}")
    return Account("O", home, make_keys(parts.database, home), *[home.space_id] * 10)


def embedded_by(parts: Citegraph, account: Account, model: str) -> None:
    """Give the space that model as if it had been chosen before there was a list."""
    with parts.database.open_tenant(account.home.tenant_id) as tenant:
        tenant.orm.execute(
            text("UPDATE knowledge_space SET embedding_model = :model WHERE id = :id"),
            {"model": model, "id": account.space_id},
        )


def ingest_now(parts: Citegraph, http: TestClient, account: Account, body: str) -> str:
    """The state of the job that reads this one document."""
    answer = http.post(f"{account.space}/documents", headers=account.bearer(), json={"text": body})
    assert answer.status_code == 202, answer.text
    handlers = {IngestDocuments.kind: partial(ingest_documents, extractors=parts.extractors)}
    Runner(parts.database, parts.settings, handlers).drain()
    job = http.get(f"{account.space}/jobs/{answer.json()['job']['id']}", headers=account.bearer())
    return str(job.json()["state"])


@pytest.mark.parametrize("name", [EVIL, "gpt-4o-mini", "double", "another-embedding ", "x" * 200])
def test_a_model_that_the_operator_does_not_offer_is_refused_before_anything_is_asked(
    http: TestClient, guest: Account, double: ModelDouble, name: str
) -> None:
    url = f"{guest.space}/embedding"
    asked = http.post(url, headers=guest.bearer("admin"), json={"model": name, "dimensions": 256})
    planned = http.get(url, headers=guest.bearer("read"), params={"model": name})
    for answer in (asked, planned):
        if name.strip() in OFFERED:
            # Names are trimmed as everywhere.
            assert answer.status_code in (200, 202)
            continue
        assert (answer.status_code, answer.json()["code"]) == (422, "model_not_offered")
        assert "another-embedding, double-embedding, hashed-ngrams-256" in answer.json()["detail"]
        assert name not in answer.text.replace("double-embedding", "")
    assert double.calls == []


@pytest.mark.parametrize(
    "refusal",
    sampled(
        [(404, None), (400, "response_format"), (422, "dimensions"), (400, None), (403, "model")], every=3
    ),
)
def test_another_tenants_ingest_goes_on_with_all_features(
    parts: Citegraph,
    http: TestClient,
    guest: Account,
    other: Account,
    double: ModelDouble,
    refusal: tuple[int, str | None],
) -> None:
    status, blames = refusal
    double.faults.add(
        Fault(M.STATUS, model=EVIL, status=status, hint=f"The model `{EVIL}` does not exist", blames=blames)
    )
    http.post(
        f"{guest.space}/embedding", headers=guest.bearer("admin"), json={"model": EVIL, "dimensions": 8}
    )
    # A space that has such a name from before goes on with it, and harms itself alone.
    embedded_by(parts, guest, EVIL)
    embedded_by(parts, other, "double-embedding")
    for number in range(3):
        assert ingest_now(parts, http, guest, f"Ada Lovelace wrote note {number}.") in ("failed", "queued")
    begun = len(double.bodies)
    assert ingest_now(parts, http, other, "Michael Stonebraker created Ingres. Ingres uses QUEL.") == "done"
    bodies = double.bodies[begun:]
    chats = [body for body in bodies if "messages" in body]
    embeddings = [body for body in bodies if "input" in body]
    assert chats
    assert embeddings
    assert {chat["response_format"]["type"] for chat in chats} == {"json_schema"}
    assert {chat["temperature"] for chat in chats} == {0}
    assert {embedding["dimensions"] for embedding in embeddings} == {256}


def test_a_budget_and_a_model_without_a_price_do_not_go_together(
    parts: Citegraph, http: TestClient, guest: Account, double: ModelDouble
) -> None:
    """A call that counts as free would never use a budget up."""
    body: dict[str, Any] = {"settings": {"budget_usd": 1.0}}
    assert http.patch(guest.space, headers=guest.bearer("admin"), json=body).status_code == 200
    assert ingest_now(parts, http, guest, "Ada Lovelace wrote notes.") == "failed"
    job = http.get(f"{guest.space}/jobs", headers=guest.bearer()).json()["items"][0]
    assert job["error_code"] == "price_unknown"
    assert "CITEGRAPH_LLM_PRICES has no price for double" in job["error_message"]
    assert double.calls == []
    body = {"settings": {"budget_usd": None}}
    assert http.patch(guest.space, headers=guest.bearer("admin"), json=body).status_code == 200
    assert ingest_now(parts, http, guest, "Ada Lovelace wrote other notes.") == "done"
