"""The lines of the log: whose they are, where what failed is, and never a secret or a word of a text."""

import json
import logging
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
import structlog
from kombu.exceptions import OperationalError
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError
from starlette.testclient import TestClient

from app.db.database import Database
from app.db.engine import create_app_engine
from app.db.errors import DATABASE_ERRORS
from app.ids import create_id
from app.ingest.model_double_answers import RulesAnswerer
from app.llm.client import ModelClient
from app.llm.testing import Fault, Mode, ModelDouble
from app.main import create_app
from app.observability.logs import configure_logging
from app.settings import Settings
from app.wiring import Citegraph, assemble_citegraph
from tests.api.conftest import Account, World
from tests.conftest import under
from workers.broker import Broker
from workers.handlers import build_handlers_by_kind
from workers.runner import Runner
from workers.sweeper import sweep_and_wake_if_jobs_wait

CANARY = "canaryXYZZY"


class Lines:
    """What was written to stderr as JSON."""

    def __init__(self, capfd: pytest.CaptureFixture[str]) -> None:
        self._capfd = capfd
        self.raw = ""

    def read(self) -> list[dict[str, Any]]:
        self.raw += self._capfd.readouterr().err
        return [json.loads(line) for line in self.raw.splitlines() if line.startswith("{")]

    def of(self, event: str) -> list[dict[str, Any]]:
        return [entry for entry in self.read() if entry["event"] == event]


@pytest.fixture
def lines(capfd: pytest.CaptureFixture[str], citegraph: Citegraph) -> Iterator[Lines]:
    settings = citegraph.settings
    configure_logging(settings.model_copy(update={"log_json": True}))
    yield Lines(capfd)
    configure_logging(settings)


def test_every_line_of_a_request_says_whose_it_is(world: World, guest: Account, lines: Lines) -> None:
    answer = world.http.get(f"{guest.space}/graph/nodes", headers=guest.bearer())
    (line,) = lines.of("request")
    assert line["request_id"] == answer.headers["x-request-id"]
    assert line["tenant"] == str(guest.tenant_id)
    assert line["space"] == str(guest.space_id)
    assert line["route"] == "/v1/spaces/{space_id}/graph/nodes"
    job = create_id()
    world.http.get(f"{guest.space}/jobs/{job}", headers=guest.bearer())
    world.http.get("/healthz")
    *_, asked, open_to_all = lines.of("request")
    assert asked["job"] == str(job)
    assert not {"tenant", "space", "job"} & set(open_to_all)


def test_a_job_of_this_process_says_whose_it_is(world: World, guest: Account, lines: Lines) -> None:
    made = world.http.post(
        f"{guest.space}/documents", headers=guest.bearer(), json={"text": "Ada knows Eve."}
    )
    world.drain()
    job = made.json()["job"]["id"]
    # The world's other tenants may have left jobs, which were done as well.
    (line,) = [entry for entry in lines.of("job_done") if entry["job"] == job]
    assert line["kind"] == "ingest.documents"
    assert (line["tenant"], line["space"]) == (str(guest.tenant_id), str(guest.space_id))


def test_no_text_and_no_secret_is_in_any_line(world: World, guest: Account, lines: Lines) -> None:
    # Cut three times at most: a secret may hold an underscore of its own.
    secret = guest.keys["full"].split("_", 3)[3]
    keyed = guest.bearer()
    world.http.post(
        f"{guest.space}/documents",
        headers=keyed,
        json={"text": f"{CANARY} knows Eve.", "title": CANARY, "metadata": {CANARY: CANARY}},
    )
    world.drain()
    world.http.post(f"{guest.space}/documents", headers=keyed, json={"text": CANARY, CANARY: 1})
    world.http.post(f"{guest.space}/documents", headers=keyed, content=f'{{"text": "{CANARY}'.encode())
    world.http.post(f"{guest.space}/ask", headers=keyed, json={"question": f"Who is {CANARY}?"})
    world.http.post(f"{guest.space}/retrieve", headers=keyed, json={"query": f"Who is {CANARY}?"})
    world.http.get(f"{guest.space}/graph/nodes?q={CANARY}&key={guest.keys['full']}", headers=keyed)
    world.http.get(f"/{CANARY}")
    world.http.request(CANARY, "/healthz")
    world.http.get("/healthz", headers={"user-agent": CANARY, "x-request-id": CANARY})
    assert len(lines.of("request")) == 9
    assert CANARY not in lines.raw
    assert secret not in lines.raw


@pytest.mark.parametrize("through", ["orm", "psycopg", "pydantic", "library"])
def test_a_traceback_contains_no_value(citegraph: Citegraph, lines: Lines, through: str) -> None:
    """What a statement was given, and what the server quotes in its refusal, are words of documents."""
    log = structlog.get_logger("test")
    try:
        with citegraph.database.open_platform() as platform:
            statement = "SELECT CAST(:given AS uuid)"
            if through == "orm":
                platform.orm.execute(text(statement), {"given": CANARY})
            elif through == "psycopg":
                platform.connection.execute("SELECT %s::uuid", [CANARY])
            elif through == "pydantic":
                Settings(max_json_bytes=CANARY)
            else:
                platform.connection.execute("SELECT %s::date", [CANARY])
    except (SQLAlchemyError, psycopg.Error, ValueError) as error:
        if through == "library":
            logging.getLogger("someone").exception("failed")
        else:
            log.error("failed", exc_info=error)
    (line,) = lines.of("failed")
    assert CANARY not in lines.raw
    assert "test_log_lines.py" in line["exception"]
    assert "sqlstate 22" in line["exception"] or through == "pydantic"


class TestFailing:
    def test_a_database_that_is_away_is_one_line_with_its_address_and_the_cause(
        self, citegraph: Citegraph, lines: Lines
    ) -> None:
        url = "postgresql+psycopg://nobody:hunter2@127.0.0.1:1/none"
        settings = citegraph.settings.model_copy(update={"database_url": url, "log_json": True})
        configure_logging(settings)
        database = Database(create_app_engine(url, settings), settings)
        broken = assemble_citegraph(settings, database, citegraph.broker)
        with TestClient(create_app(broken)) as http:
            assert http.get("/v1/spaces", headers={"authorization": f"Bearer {_key()}"}).status_code == 503
        (line,) = lines.of("database_error")
        assert line["database"] == "127.0.0.1:1/none"
        assert "refused" in line["cause"]
        with pytest.raises(DATABASE_ERRORS):
            sweep_and_wake_if_jobs_wait(database)
        assert "hunter2" not in lines.raw
        assert "Traceback" not in lines.raw
        broken.database.dispose()

    def test_a_broker_that_is_away_is_one_line_with_its_address_and_the_cause(
        self, citegraph: Citegraph, lines: Lines
    ) -> None:
        url = "redis://:hunter2@127.0.0.1:1/0"
        configure_logging(citegraph.settings.model_copy(update={"redis_url": url, "log_json": True}))
        broker = Broker(url)
        for _ in range(3):
            broker.wake()
        (line,) = lines.of("broker_silent")
        assert (line["broker"], line["error"]) == ("127.0.0.1:1/0", OperationalError.__name__)
        assert "hunter2" not in lines.raw
        broker.close()

    def test_a_model_that_fails_is_told_with_its_address_and_the_cause(
        self, world: World, guest: Account, lines: Lines
    ) -> None:
        with ModelDouble(RulesAnswerer()) as double:
            client = ModelClient(
                api_key="sk-hunter2hunter2",
                base_url=double.base_url,
                model="double",
                timeout=5,
                attempts=2,
                sleep=lambda _seconds: None,
            )
            double.faults.add(Fault(Mode.SERVER_ERROR))
            settings = world.citegraph.settings
            parts = assemble_citegraph(
                settings, under(world.citegraph.database, settings), world.citegraph.broker, client
            )
            world.http.post(
                f"{guest.space}/documents", headers=guest.bearer(), json={"text": f"{CANARY} knows Eve."}
            )
            ingest = {
                kind: handler
                for kind, handler in build_handlers_by_kind(parts).items()
                if kind == "ingest.documents"
            }
            Runner(parts.database, parts.settings, ingest).run_next_job()
            parts.extractors.close()
            client.close()
            ended = [entry for entry in lines.read() if entry["event"] in ("job_failed", "job_parked")]
        assert len(ended) == 1
        assert double.base_url in ended[0]["reason"]
        assert "server errors" in ended[0]["reason"]
        assert ended[0]["tenant"] == str(guest.tenant_id)
        # Lines of the threads that call the model say of which job they are, too.
        assert {entry["job"] for entry in lines.of("model_gave_up")} <= {ended[0]["job"]}
        assert CANARY not in lines.raw
        assert "hunter2" not in lines.raw

    def test_a_document_that_cannot_be_read_is_one_line_with_its_code(
        self, world: World, guest: Account, lines: Lines
    ) -> None:
        """Of one that kills its workers `tests/workers/test_worker_kills.py` has the line."""
        world.http.post(
            f"{guest.space}/documents",
            headers=guest.bearer(),
            files={"file": (f"{CANARY}.pdf", b"%PDF-1.7\n1 0 obj\n<<\n%%EOF", "application/pdf")},
        )
        world.drain()
        (line,) = lines.of("document_quarantined")
        assert line["code"]
        assert line["document"]
        assert line["tenant"] == str(guest.tenant_id)
        assert CANARY not in lines.raw


def _key() -> str:
    return f"cg_live_abcd2345_{'x' * 43}"
