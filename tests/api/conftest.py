"""Two tenants with the same names and documents in one database, ingested for real, behind the real
application.
"""

import secrets
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
import uvicorn
from pydantic import SecretStr
from sqlalchemy import URL
from starlette.testclient import TestClient

from app.answers.golden import service as golden
from app.api.protocol.server import configure_server
from app.db.database import Database
from app.derived.communities import job as communities_job
from app.derived.communities import scheduling
from app.derived.communities import service as communities
from app.documents import service as documents
from app.graph import service as graph
from app.ids import DocumentId, create_id
from app.ingest.trials import service as trials
from app.jobs import queue
from app.jobs.kinds import DetectCommunities
from app.jobs.webhooks import service as webhooks
from app.main import create_app
from app.settings import Settings
from app.tenancy.tenants import api_keys
from app.wiring import Citegraph, assemble_citegraph, open_database
from tests.conftest import Home, make_home
from tests.support.database_copies import copy_database, drop_database
from tests.support.ingest import make_runner
from tests.support.pooler import as_app
from workers.broker import Broker
from workers.runner import Runner

NONE = UUID(int=0)
OPERATOR_KEY = "operator-" + "x" * 32

SHARED = """# Databases

Michael Stonebraker created Ingres. Ingres was based on the relational model.
Michael Stonebraker created Postgres. Postgres uses SQL. DuckDB uses SQL.

# People

Ada Lovelace worked for Charles Babbage. Charles Babbage created the Analytical Engine.
"""


@dataclass(frozen=True)
class Account:
    """One tenant with its space, keys and live ids of every kind."""

    letter: str
    home: Home
    keys: dict[str, str]
    document_id: UUID
    chunk_id: UUID
    job_id: UUID
    node_id: UUID
    edge_id: UUID
    key_id: UUID
    community_id: UUID
    split_id: UUID
    other_id: UUID
    """A node besides `node_id`."""
    merge_id: UUID
    webhook_id: UUID = NONE
    delivery_id: UUID = NONE
    run_id: UUID = NONE
    trial_id: UUID = NONE
    question_id: UUID = NONE
    golden_run_id: UUID = NONE

    @property
    def tenant_id(self) -> UUID:
        return self.home.tenant_id

    @property
    def space_id(self) -> UUID:
        return self.home.space_id

    @property
    def canary(self) -> str:
        return f"CANARY_{self.letter}"

    @property
    def space(self) -> str:
        return f"/v1/spaces/{self.space_id}"

    def bearer(self, key: str = "full") -> dict[str, str]:
        return {"authorization": f"Bearer {self.keys[key]}"}


@dataclass(frozen=True)
class World:
    """Everything that a test of the API needs; `http` sends no key by itself."""

    citegraph: Citegraph
    http: TestClient
    a: Account
    b: Account

    def runner(self) -> Runner:
        return make_runner(self.citegraph.database, self.citegraph.settings)

    def drain(self) -> int:
        """Run all jobs that wait, in this process."""
        return self.runner().drain()


@pytest.fixture(scope="session")
def api_url(admin_url: URL, template: str) -> Iterator[URL]:
    name = f"citegraph_api_{secrets.token_hex(6)}"
    copy_database(admin_url, name, template=template)
    url = admin_url.set(database=name)
    yield as_app(url)
    drop_database(admin_url, name)


@pytest.fixture(scope="session")
def citegraph(api_url: URL, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Citegraph]:
    with assembled(api_url, tmp_path_factory.mktemp("home")) as parts:
        yield parts


@contextmanager
def assembled(url: URL, home: Path, **changes: Any) -> Iterator[Citegraph]:
    """The parts of a service over that database, with limits that tests do not meet by chance."""
    settings = Settings(
        database_url=url.render_as_string(hide_password=False),
        # Nobody listens there: a lost broker changes nothing that these tests see.
        redis_url="redis://127.0.0.1:1/0",
        home=home,
        operator_key=SecretStr(OPERATOR_KEY),
        pool_size=4,
        max_json_bytes=200_000,
        max_upload_bytes=400_000,
        # Without Valkey each process has a quarter of them, and these tests ask hundreds of times a second.
        key_rate=40_000.0,
        key_burst=80_000,
        tenant_rate=80_000.0,
        tenant_burst=160_000,
        # Written when a test says so: a fact that was recalled meanwhile has another score.
        recall_seconds=3_600.0,
        **changes,
    )
    assert settings.database_url is not None
    assert settings.redis_url is not None
    broker = Broker(settings.redis_url)
    database = open_database(settings.database_url, settings)
    parts = assemble_citegraph(settings, database, broker)
    try:
        yield parts
    finally:
        parts.close()


@pytest.fixture(scope="session")
def world(citegraph: Citegraph) -> Iterator[World]:
    with TestClient(create_app(citegraph)) as http:
        accounts = [open_account(citegraph, http, letter) for letter in "AB"]
        yield World(citegraph, http, *accounts)


@pytest.fixture(scope="session")
def address(world: World) -> Iterator[tuple[str, int]]:
    """Host and port of a server in this process, over the same parts as `world`."""
    with serving(world.citegraph) as place:
        yield place


@contextmanager
def serving(citegraph: Citegraph, port: int = 0) -> Iterator[tuple[str, int]]:
    """A server in this process over these parts: its host and port."""
    listener = socket.create_server(("127.0.0.1", port))
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    app = create_app(citegraph)
    config = configure_server(app, citegraph.settings)
    config.lifespan = "off"
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    host, port = listener.getsockname()
    try:
        yield host, port
    finally:
        server.should_exit = True
        thread.join(20)
        listener.close()


def make_keys(database: Database, home: Home) -> dict[str, str]:
    """A key for each scope, one with all of them, one that expired, one that was revoked."""
    made = {"full": ("read", "write", "admin"), **{scope: (scope,) for scope in api_keys.SCOPES}}
    keys = {}
    with database.open_tenant(home.tenant_id) as tenant:
        for name, scopes in made.items():
            _, token = api_keys.create_key(tenant, name=name, scopes=scopes, actor="test")
            keys[name] = token.token
    return keys


def open_account(citegraph: Citegraph, http: TestClient, letter: str) -> Account:
    """A tenant whose documents came in through the API and were taken in by a worker's runner."""
    database = citegraph.database
    home = make_home(database, f"tenant-{letter.lower()}")
    keys = make_keys(database, home)
    bearer = {"authorization": f"Bearer {keys['full']}"}
    canary = f"CANARY_{letter}"
    answer = http.post(
        f"/v1/spaces/{home.space_id}/documents",
        headers=bearer,
        json={
            "documents": [
                {"text": SHARED, "format": "markdown", "source_uri": "shared.md", "metadata": {"k": "v"}},
                {
                    "text": f"Secret{letter}Corp created Hidden{letter}Engine. {canary} stays inside.",
                    "title": canary,
                    "metadata": {"mark": canary},
                },
            ]
        },
    )
    assert answer.status_code == 202, answer.text
    broken = http.post(
        f"/v1/spaces/{home.space_id}/documents",
        headers=bearer,
        files={"file": (f"{canary}.pdf", b"%PDF-1.7\n1 0 obj\n<<\n%%EOF", "application/pdf")},
    )
    assert broken.status_code in (202, 422), broken.text
    make_runner(database, citegraph.settings).drain()
    detect_communities(citegraph, home)
    with database.open_space(home.tenant_id, home.space_id) as space:
        shared = next(
            document for document in documents.list_documents(space) if document.source_uri == "shared.md"
        )
        assert shared.state == "ready", shared.failure_reason
        chunk = documents.list_chunks(space, DocumentId(shared.id))[0]
        job = queue.list_jobs(space)[-1]
        trial = trials.queue_extraction_trial(
            space, citegraph.settings, model="rules", changes={}, chunk_count=5
        ).id
        golden.add_or_replace_questions(space, [{"question": f"Who is CANARY_{letter}?"}])
        question = golden.list_questions(space)[0].id
        golden_run = golden.queue_golden_run(space).id
        node = graph.list_nodes(space, search_text="Michael Stonebraker")[0]
        other = graph.list_nodes(space, search_text="DuckDB")[0]
        edge = graph.list_edges(space, node_id=node.id)[0]
        community = communities.list_communities(space)[0]
        run = communities.list_community_runs(space)[0].id
        # Of nodes that are gone: undoing it changes nothing of what other tests look at.
        split = create_id()
        space.connection.execute(
            "INSERT INTO node_split (knowledge_space_id, id, node_id, new_node_id, mentions, reason,"
            " decided_by) VALUES (%s, %s, %s, %s, 1, 'sense', 'rules')",
            [home.space_id, split, create_id(), create_id()],
        )
        merge = create_id()
        space.connection.execute(
            "INSERT INTO node_merge (knowledge_space_id, id, winner_node_id, loser_node_id, loser_name,"
            " loser_type, loser, winner, reason, decided_by, confidence, graph_revision)"
            " VALUES (%s, %s, %s, %s, 'gone', 'Thing', '{}', '{\"canonical_name\": \"gone\"}', 'string',"
            " 'rules', 1, 1)",
            [home.space_id, merge, create_id(), create_id()],
        )
    with database.open_tenant(home.tenant_id) as tenant:
        key = api_keys.list_keys(tenant)[-1]
        url = f"https://example.com/{letter}"
        webhook = webhooks.add_webhook(
            tenant, url=url, events=["job.done"], actor="test", allowed_hosts=frozenset()
        ).id
        delivery = webhooks.enqueue_test_message(tenant, webhook, actor="test").id
        tenant.connection.execute("UPDATE webhook_delivery SET state = 'failed' WHERE id = %s", [delivery])
    return Account(
        letter,
        home,
        keys,
        shared.id,
        chunk.id,
        job.id,
        node.id,
        edge.id,
        key.id,
        community.id,
        split,
        other.id,
        merge,
        webhook,
        delivery,
        run,
        trial,
        question,
        golden_run,
    )


def detect_communities(citegraph: Citegraph, home: Home) -> None:
    """Find the communities of one space, in this process."""
    with citegraph.database.open_space(home.tenant_id, home.space_id) as space:
        scheduling.enqueue_detection_or_run_waiting_now(space)
    handlers = {
        DetectCommunities.kind: partial(
            communities_job.detect_communities_and_write_reports, client=citegraph.client
        )
    }
    Runner(citegraph.database, citegraph.settings, handlers).drain()


@pytest.fixture
def guest(world: World) -> Account:
    """A tenant of one test's own, empty, for tests that change things."""
    database = world.citegraph.database
    home = make_home(database, f"guest-{secrets.token_hex(4)}")
    none = UUID(int=0)
    return Account("G", home, make_keys(database, home), *[none] * 10)
