"""The answer cache and the ledger in Postgres: committed before use, per space, every call a row, no call
twice.
"""

import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import psycopg
import pytest
from sqlalchemy import URL, QueuePool

from app.db.database import Database
from app.db.engine import convert_to_conninfo
from app.errors import NotFound
from app.extraction.llm.extractor import ModelExtractor
from app.extraction.vocabulary import DEFAULT_VOCABULARY
from app.ids import JobId, create_id
from app.ingest.model_double_answers import RulesAnswerer
from app.llm.call_records import CallRecord
from app.llm.client import ModelClient
from app.llm.embedding.openai_embedder import OpenAIEmbedder
from app.llm.model_calls import service as llm
from app.llm.model_calls.ledger import DatabaseAnswerStore
from app.llm.testing import Fault, ModelDouble
from app.llm.testing import Mode as M
from app.llm.testing.double import read_log_of_calls
from app.settings import Settings
from app.tenancy.spaces import service as spaces
from tests.conftest import Home
from tests.llm.conftest import MakeClient
from tests.llm.test_model_extractor import TEXTS, both
from tests.support.ingest import make_runner, picture, submit, text
from tests.support.sampling import sampled
from tests.support.standing_chunks import standing_chunks

PRICES = {"double": (1_000.0, 2_000.0)}


@pytest.fixture
def priced(double: ModelDouble, make_client: MakeClient) -> ModelClient:
    return make_client(double.base_url, prices=PRICES)


def stored(database: Database, home: Home, job_id: JobId | None = None) -> DatabaseAnswerStore:
    return DatabaseAnswerStore(database, tenant_id=home.tenant_id, space_id=home.space_id, job_id=job_id)


def extract(client: ModelClient, database: Database, home: Home, texts: list[str] = TEXTS) -> ModelExtractor:
    extractor = ModelExtractor(client, stored(database, home), tenant_id=home.tenant_id)
    both(extractor, standing_chunks(database, home.tenant_id, home.space_id, texts))
    return extractor


def rows(database: Database, home: Home, sql: str) -> list[tuple[object, ...]]:
    with database.open_space(home.tenant_id, home.space_id) as space:
        return space.connection.execute(sql, [home.space_id]).fetchall()


def ledger(database: Database, home: Home) -> list[tuple[object, ...]]:
    return rows(
        database,
        home,
        "SELECT purpose, outcome, cached, prompt_tokens, completion_tokens, cost_usd, job_id FROM model_call"
        " WHERE knowledge_space_id = %s ORDER BY id",
    )


def test_every_call_is_a_row_with_tokens_and_cost(
    database: Database, home: Home, double: ModelDouble, priced: ModelClient
) -> None:
    double.faults.add(Fault(M.SERVER_ERROR, times=1))
    double.faults.add(Fault(M.CUT_JSON, times=1, containing='"relations"'))
    extract(priced, database, home, TEXTS[:4])
    found = ledger(database, home)
    assert [row[:3] for row in found] == [
        ("entities", "server_error", False),
        ("entities", "ok", False),
        ("relations", "malformed", False),
        ("relations", "ok", False),
    ]
    for row, call in zip(found, double.calls, strict=True):
        sent, received = call.prompt_tokens, call.completion_tokens
        assert row[3:5] == (sent, received)
        assert row[5] == Decimal(sent * 1_000 + received * 2_000) / 1_000_000


def test_the_tenants_counters_follow(
    database: Database, home: Home, double: ModelDouble, priced: ModelClient
) -> None:
    extract(priced, database, home)
    extract(priced, database, home)
    with database.open_tenant(home.tenant_id) as tenant:
        used = tenant.connection.execute(
            "SELECT model_calls, prompt_tokens, completion_tokens, cost_usd FROM usage_daily"
        ).fetchall()
    sent = sum(call.prompt_tokens for call in double.calls)
    received = sum(call.completion_tokens for call in double.calls)
    cost = Decimal(sent * 1_000 + received * 2_000) / 1_000_000
    assert used == [(len(double.calls), sent, received, cost)]


def test_a_second_run_finds_everything_and_says_so(
    database: Database, home: Home, double: ModelDouble, priced: ModelClient
) -> None:
    extract(priced, database, home)
    before = len(double.calls)
    extract(priced, database, home, TEXTS[4:] + TEXTS[:4])
    assert len(double.calls) == before
    assert [row[:5] for row in ledger(database, home)[before:]] == [
        ("entities", "ok", True, 0, 0),
        ("relations", "ok", True, 0, 0),
    ]


def test_another_space_pays_for_itself(
    database: Database, home: Home, twin: Home, double: ModelDouble, priced: ModelClient
) -> None:
    """A shared cache would tell one tenant what another has (rule I5)."""
    extract(priced, database, home)
    before = len(double.calls)
    extract(priced, database, twin)
    assert len(double.calls) == 2 * before
    count = "SELECT count(*) FROM model_answer WHERE knowledge_space_id = %s"
    assert rows(database, home, count) == rows(database, twin, count) == [(2 * len(TEXTS),)]


def test_the_cache_goes_with_its_space(
    database: Database, home: Home, priced: ModelClient, privileged_url: URL
) -> None:
    extract(priced, database, home)
    with psycopg.connect(convert_to_conninfo(privileged_url)) as server:
        count = "SELECT (SELECT count(*) FROM model_answer), (SELECT count(*) FROM model_call)"
        assert server.execute(count).fetchone() == (2 * len(TEXTS), 2)
        spaces.delete_space(database, home.tenant_id, home.space_id, actor="test")
        assert server.execute(count).fetchone() == (0, 0)
    with pytest.raises(NotFound):
        extract(priced, database, home)


def test_a_job_knows_what_it_has_spent(database: Database, home: Home) -> None:
    job_id = JobId(create_id())
    answers = stored(database, home, job_id)
    calls = [
        CallRecord("entities", "double", 10, 5, Decimal("0.5"), 7),
        CallRecord("entities", "double", 0, 0, Decimal(0), 7, "timeout"),
        CallRecord("entities", "double", cached=True),
    ]
    answers.store_answers_and_release_reservation({"k": {"entities": []}}, calls)
    stored(database, home).store_answers_and_release_reservation({"other": {"entities": []}}, calls)
    with database.open_space(home.tenant_id, home.space_id) as space:
        assert llm.sum_job_cost(space, job_id) == llm.JobCost(2, 10, 5, Decimal("0.5"))
    with answers.find_answers_or_lease_keys(
        ["k", "other", "none"], purpose="entities", model="double"
    ) as lease:
        assert lease.answers == {"k": {"entities": []}, "other": {"entities": []}}
        assert lease.keys == ["none"]


CRASHES = """
import os, sys
from app.db.engine import create_app_engine
from app.db.database import Database
from app.llm.model_calls.ledger import DatabaseAnswerStore
from app.extraction.llm.extractor import ModelExtractor
from app.ids import TenantId
from app.llm.client import ModelClient
from app.settings import Settings
from tests.llm.test_model_extractor import TEXTS, both
from tests.support.standing_chunks import standing_chunks
from uuid import UUID

url, base_url, tenant, space, when = sys.argv[1:]
database = Database(create_app_engine(url, Settings(database_url=url, pool_size=2)), Settings(database_url=url, pool_size=2))

class Crashing(DatabaseAnswerStore):
    def store_answers_and_release_reservation(self, answers, calls, **options):
        if when == "before":
            os._exit(9)
        super().store_answers_and_release_reservation(answers, calls, **options)
        os._exit(9)

tenant = TenantId(UUID(tenant))
client = ModelClient(api_key="unused", base_url=base_url, model="double", parallel=1)
answers = Crashing(database, tenant_id=tenant, space_id=UUID(space))
chunks = standing_chunks(database, tenant, UUID(space), TEXTS)
both(ModelExtractor(client, answers, tenant_id=tenant), chunks)
"""  # noqa: E501


@pytest.fixture
def logged(tmp_path: Path) -> Iterator[tuple[ModelDouble, Path]]:
    log = tmp_path / "calls.jsonl"
    with ModelDouble(RulesAnswerer(), log=log) as double:
        yield double, log


@pytest.mark.parametrize(
    ("when", "extra"), sampled([pytest.param("after", 0), pytest.param("before", 1)], every=2)
)
def test_a_crash_costs_the_call_in_flight_at_most(
    database: Database,
    settings: Settings,
    home: Home,
    logged: tuple[ModelDouble, Path],
    make_client: MakeClient,
    when: str,
    extra: int,
) -> None:
    """Fault row 21, counted by the double's log across processes."""
    double, log = logged
    arguments = [settings.database_url, double.base_url, str(home.tenant_id), str(home.space_id), when]
    crashed = subprocess.run(
        [sys.executable, "-c", CRASHES, *map(str, arguments)],
        cwd=Path(__file__).parents[2],
        timeout=60,
        check=False,
    )
    assert crashed.returncode == 9
    assert len(read_log_of_calls(log)) == 1
    extract(make_client(double.base_url), database, home)
    assert len(read_log_of_calls(log)) == 2 + extra
    assert len({call.prompt_hash for call in read_log_of_calls(log)}) == 2


def run_job(
    database: Database, settings: Settings, home: Home, client: ModelClient, *bodies: str
) -> JobId | None:
    _, job_id = submit(
        database, home, *(text(body, title=f"Note {number}") for number, body in enumerate(bodies))
    )
    answers = stored(database, home, job_id)
    make_runner(
        database,
        settings,
        extractor=ModelExtractor(client, answers, tenant_id=home.tenant_id),
        embedder=OpenAIEmbedder(
            client,
            model="double-embedding",
            dimensions=256,
            tenant_id=home.tenant_id,
            meter=answers,
        ),
    ).drain()
    return job_id


def test_a_job_runs_through_the_model_and_again_for_nothing(
    database: Database, settings: Settings, home: Home, twin: Home, double: ModelDouble, priced: ModelClient
) -> None:
    job_id = run_job(database, settings, home, priced, *TEXTS)
    seen = picture(database, home)
    assert len(seen["edges"]) >= 2 * len(TEXTS) - 2
    paths = [call.path for call in double.calls]
    # One question of each pass, and the control claims.
    assert [paths.count(f"/v1/{path}") for path in ("embeddings", "chat/completions")] == [2, 3]
    assert job_id is not None
    with database.open_space(home.tenant_id, home.space_id) as space:
        assert llm.sum_job_cost(space, job_id).calls == 5
    run_job(database, settings, home, priced, *TEXTS)
    assert len(double.calls) == 5
    assert picture(database, home) == seen
    assert picture(database, twin)["nodes"] == []


def test_a_chunk_that_fails_is_on_the_jobs_list(
    database: Database, settings: Settings, home: Home, double: ModelDouble, priced: ModelClient
) -> None:
    double.faults.add(Fault(M.CUT_JSON, containing="Poison Company"))
    job_id = run_job(database, settings, home, priced, *TEXTS[:3], "Poison Company owns Venom Factory.")
    errors = rows(
        database,
        home,
        "SELECT code, message, chunk_id IS NOT NULL FROM job_error WHERE knowledge_space_id = %s",
    )
    assert errors == [
        (
            "malformed_answer",
            "The model's answer could not be used: The answer was cut off before its end.",
            True,
        )
    ]
    nodes = {row[0] for row in picture(database, home)["nodes"]}
    assert "Acme Corporation" in nodes
    assert "Poison Company" not in nodes
    assert job_id is not None


def test_extraction_holds_no_connection_while_the_model_thinks(
    database: Database, home: Home, make_client: MakeClient
) -> None:
    """Style rule 8: a transaction that waits for a model would hold a connection for seconds."""
    held: list[int] = []

    class Watching(RulesAnswerer):
        def answer(self, messages: Sequence[Mapping[str, str]]) -> Mapping[str, Any] | str | None:
            assert isinstance(database.engine.pool, QueuePool)
            held.append(database.engine.pool.checkedout())
            return super().answer(messages)

    with ModelDouble(Watching()) as double:
        extractor = ModelExtractor(
            make_client(double.base_url, parallel=1), stored(database, home), tenant_id=home.tenant_id
        )
        # More passages than one call has.
        texts = [*TEXTS, *(f"{text} That is known." for text in TEXTS)]
        extractor.extract_entities(
            standing_chunks(database, home.tenant_id, home.space_id, texts), DEFAULT_VOCABULARY
        )
    assert held == [0, 0]
