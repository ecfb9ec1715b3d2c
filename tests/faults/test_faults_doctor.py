"""The doctor is green while everybody works: it looks at rows of its own and at one moment (review B3)."""

import itertools
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import psycopg
import pytest
from sqlalchemy import URL

from app.db.database import Database
from app.db.doctor.examination import examine_database
from app.db.engine import convert_to_conninfo
from app.db.vectors.partitions import create_missing_partitions, drop_partitions
from app.ids import create_id
from app.ingest.model_double_answers import RulesAnswerer
from app.llm.testing import ModelDouble
from app.tenancy.tenants import budgets
from tests.conftest import Home
from tests.faults.conftest import Api, Asker
from tests.workers.conftest import Workers

pytestmark = pytest.mark.slow

RUNS = 20


@pytest.fixture
def busy(
    start_api: Callable[..., Api], database: Database, home: Home, workers: Workers, privileged_url: URL
) -> Iterator[None]:
    """Documents come, are read by a model that is paid for, and go; large spaces get and lose partitions."""
    with database.open_platform() as platform:
        budgets.set_budget_and_unpark_jobs(platform, home.tenant_id, 1_000.0, actor="test")
    api = start_api()
    over = threading.Event()

    def ingest_and_delete() -> None:
        for number in itertools.count():
            if over.is_set():
                return
            reply = api.post(
                home, f"Redis uses Kafka. Db2 uses Kafka. Note {number}.", title=f"Note {number}"
            )
            if reply.status == 202 and number % 3 == 2:
                (document,) = reply.body["documents"]
                api.call("DELETE", f"/v1/spaces/{home.space_id}/documents/{document['id']}")

    def partition() -> None:
        with psycopg.connect(convert_to_conninfo(privileged_url), autocommit=True) as owner:
            while not over.is_set():
                space_id = create_id()
                # As maintenance does, which tries again another time where everybody is at work.
                with suppress(psycopg.errors.LockNotAvailable):
                    create_missing_partitions(owner, space_id)
                    over.wait(2.0)
                    drop_partitions(owner, space_id)
                over.wait(2.0)

    with ModelDouble(RulesAnswerer()) as double, ThreadPoolExecutor(2) as pool:
        for _ in range(2):
            workers.start(
                module="workers.main",
                extra={
                    "OPENAI_BASE_URL": double.base_url,
                    "CITEGRAPH_LLM_MODEL": "double",
                    "CITEGRAPH_LLM_PRICES": '{"double": [1, 1]}',
                },
            )
        acts = [pool.submit(ingest_and_delete), pool.submit(partition)]
        try:
            yield
        finally:
            over.set()
        for act in acts:
            act.result()
        assert double.calls


@pytest.mark.usefixtures("busy")
@pytest.mark.soak
def test_twenty_examinations_beside_workers_are_all_healthy(database: Database, ask: Asker) -> None:
    complaints = []
    for _ in range(RUNS):
        report = examine_database(database)
        complaints += [
            (verdict.subject, verdict.sentences) for verdict in report.verdicts if verdict.state == "problem"
        ]
    assert complaints == []
    assert ask.value("SELECT count(*) FROM job WHERE state = 'done'") > 5
    assert ask.value("SELECT count(*) FROM tenant") == 1, "no canary is left behind"
