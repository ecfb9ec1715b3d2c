"""Review A9: a server of embeddings alone is used as one, and is never asked to chat."""

from collections.abc import Iterator
from typing import Any

import pytest

from app.db.database import Database
from app.graph import service as graph
from app.ingest.model_double_answers import RulesAnswerer
from app.jobs import queue
from app.llm.model_check import try_configured_model_servers
from app.llm.servers import get_chat_model, get_chat_server, get_embedding_server
from app.llm.testing import Fault, Mode, ModelDouble
from app.retrieval.shapes import Query
from app.settings import Settings
from app.tenancy.spaces import service as spaces
from app.wiring import Citegraph, build_citegraph
from tests.conftest import Home
from tests.support.ingest import make_runner, submit, text

MODEL = "served-embedding"
CLEAR = {
    "openai_api_key": None,
    "openai_base_url": None,
    "llm_model": None,
    "embedding_api_key": None,
    "embedding_base_url": None,
    "embedding_model": None,
}
URL, OTHER_URL = "http://127.0.0.1:9/v1", "http://127.0.0.2:9/v1"


@pytest.mark.parametrize(
    ("given", "chat", "embeds"),
    [
        ({}, None, None),
        ({"openai_base_url": URL}, "gpt-4o-mini", URL),
        ({"openai_base_url": URL, "llm_model": "own"}, "own", URL),
        ({"openai_base_url": URL, "llm_model": "none"}, None, URL),
        ({"openai_base_url": URL, "llm_model": ""}, "gpt-4o-mini", URL),
        ({"openai_base_url": URL, "embedding_model": MODEL}, None, URL),
        ({"openai_base_url": URL, "embedding_model": MODEL, "llm_model": "own"}, "own", URL),
        ({"openai_base_url": URL, "embedding_model": "all-minilm-l6-v2-384"}, "gpt-4o-mini", URL),
        ({"openai_api_key": "key"}, "gpt-4o-mini", "https://api.openai.com/v1"),
        (
            {"openai_api_key": "key", "embedding_model": "text-embedding-3-small"},
            "gpt-4o-mini",
            "https://api.openai.com/v1",
        ),
        ({"embedding_base_url": URL, "embedding_model": MODEL}, None, URL),
        ({"embedding_base_url": URL, "openai_base_url": OTHER_URL}, "gpt-4o-mini", URL),
        (
            {"embedding_base_url": URL, "embedding_model": MODEL, "openai_base_url": OTHER_URL},
            "gpt-4o-mini",
            URL,
        ),
        ({"llm_model": "own"}, None, None),
    ],
)
def test_one_rule_says_what_chats_and_one_what_embeds(
    given: dict[str, Any], chat: str | None, embeds: str | None
) -> None:
    settings = Settings.model_validate({**CLEAR, **given})
    assert get_chat_model(settings) == chat
    assert (get_chat_server(settings) is None) == (chat is None)
    server = get_embedding_server(settings)
    assert (server and server.base_url) == embeds


def test_neither_server_is_sent_the_others_key() -> None:
    settings = Settings.model_validate(
        {**CLEAR, "openai_api_key": "chat-key", "embedding_base_url": URL, "llm_model": "own"}
    )
    chat, embeddings = get_chat_server(settings), get_embedding_server(settings)
    assert chat is not None
    assert embeddings is not None
    assert (chat.api_key, embeddings.api_key) == ("chat-key", "unused")


@pytest.fixture
def server() -> Iterator[ModelDouble]:
    """A server that knows /embeddings and answers 404 to the rest."""
    with ModelDouble(RulesAnswerer(), faults=[Fault(Mode.STATUS, status=404, path="/chat")]) as running:
        yield running


@pytest.fixture(params=["openai_base_url", "embedding_base_url"])
def parts(request: pytest.FixtureRequest, settings: Settings, server: ModelDouble) -> Iterator[Citegraph]:
    """An installation with that server: its address given for both, or for embeddings."""
    changes = {
        request.param: server.base_url,
        "embedding_model": MODEL,
        "embedding_dimensions": 128,
        "redis_url": "redis://127.0.0.1:1/0",
    }
    made = build_citegraph(Settings.model_validate({**settings.model_dump(), **CLEAR, **changes}))
    yield made
    made.close()


def test_documents_are_read_by_rules_and_embedded_by_the_server(
    parts: Citegraph, database: Database, settings: Settings, home: Home, server: ModelDouble
) -> None:
    """Doubtful pairs, answers and all that asks a model go without one; nothing parks."""
    with database.open_tenant(home.tenant_id) as session:
        space = spaces.create_space(
            session, name="served", embedding_model=MODEL, embedding_dimensions=128, actor="test"
        )
    where = Home(home.tenant_id, space.id)  # type: ignore[arg-type]
    assert parts.client is None
    _, job_id = submit(
        database,
        where,
        text("Ada Lovelace works for Acme Robotics. Acme Robotics is located in London.", title="Acme"),
        text("Ada Lovelace lives in London. Acme Robotic makes arms.", title="Pairs"),
    )
    make_runner(database, settings, extractors=parts.extractors).drain()
    with database.open_space(where.tenant_id, where.space_id) as opened:
        assert job_id is not None
        job = queue.get_job(opened, job_id)
        assert (job.state, job.error_code) == ("done", None)
        assert graph.explain_and_record_recall(opened, question="Where is Acme Robotics located?").edges
        vectors = opened.connection.execute(
            "SELECT count(*), min(vector_dims(embedding)) FROM chunk_vector WHERE knowledge_space_id = %s",
            [where.space_id],
        ).fetchone()
        paid = opened.connection.execute(
            "SELECT DISTINCT purpose FROM model_call WHERE knowledge_space_id = %s AND NOT cached",
            [where.space_id],
        ).fetchall()
    assert vectors == (2, 128)
    assert job.prompt_tokens > 0
    assert [row[0] for row in paid] == ["embedding"]
    found = parts.retriever.retrieve_and_record_recalls(
        where.tenant_id, where.space_id, Query("Where is Acme Robotics located?")
    )
    assert "Acme Robotics" in found.passages[0].text
    assert {call.path for call in server.calls} == {"/v1/embeddings"}


def test_the_check_of_models_tries_what_is_set_up_alone(parts: Citegraph, server: ModelDouble) -> None:
    tried = try_configured_model_servers(parts.settings)
    assert [(trial.what, trial.works) for trial in tried] == [("embeddings", True)]
    assert {call.path for call in server.calls} == {"/v1/embeddings"}
