"""The metrics and presence of a worker: the sum of its pool at one port, in real processes."""

import re
import signal
import urllib.request
from pathlib import Path

import pytest

from app.db.database import Database
from app.runtime.valkey import EmbeddedValkey
from app.settings import Settings
from tests.conftest import Home
from tests.support.ingest import submit, text
from tests.support.service import free_port
from tests.workers.conftest import Workers, wait_until
from workers.presence import WorkerPresence


def read(port: int) -> str:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=5) as answer:
            return str(answer.read().decode())
    except OSError:
        return ""


def total(port: int, series: str) -> float:
    found = re.search(re.escape(series) + r" (\S+)", read(port))
    return float(found[1]) if found else 0.0


DONE = 'citegraph_jobs_ended_total{kind="ingest.documents",outcome="done"}'


@pytest.mark.soak
@pytest.mark.slow
def test_a_worker_serves_the_sum_of_its_pool_and_ends_with_it(
    settings: Settings, database: Database, home: Home, valkey: EmbeddedValkey, tmp_path: Path
) -> None:
    port = free_port()
    several = settings.model_copy(update={"worker_concurrency": 2, "worker_metrics_port": port})
    workers = Workers(several, tmp_path)
    for number in range(6):
        submit(database, home, text(f"Note {number}: Db2 uses Kafka."))
    presence = WorkerPresence(valkey.url())
    assert presence.count_alive() == 0
    try:
        worker = workers.start()
        wait_until(lambda: total(port, DONE) == 6, what="all jobs counted")
        assert total(port, 'citegraph_worker_processes{state="reporting"}') == 2
        assert total(port, 'citegraph_database_connections{state="limit"}') == 2 * (2 + several.pool_overflow)
        assert str(home.tenant_id) not in read(port)
        assert presence.count_alive() == 2
        # A killed process of the pool takes nothing along that it has reported; its heir adds to it.
        submit(database, home, text("Note 7: Db2 uses Kafka."))
        wait_until(lambda: total(port, DONE) == 7, what="one more")
        worker.send_signal(signal.SIGTERM)
        worker.wait(40)
        wait_until(lambda: read(port) == "", what="the end of its metrics", seconds=10)
        # It said that it ends: nobody waits a minute to see that there is no worker.
        wait_until(lambda: presence.count_alive() == 0, what="the end of its presence", seconds=5)
    finally:
        workers.close()
        presence.close()


@pytest.mark.soak
def test_who_asks_a_silent_valkey_for_workers_is_told_nothing() -> None:
    presence = WorkerPresence("redis://127.0.0.1:1/0")
    assert presence.count_alive() is None
    presence.close()


@pytest.mark.soak
def test_a_killed_worker_is_forgotten(valkey: EmbeddedValkey) -> None:
    presence = WorkerPresence(valkey.url())
    presence.report_alive("a")
    presence.report_alive("a")
    presence.report_alive("b")
    assert presence.count_alive() == 2
    client = presence._client
    client.zadd("citegraph:workers", {"a": client.time()[0] - 61})
    assert presence.count_alive() == 1
    presence.report_alive("b")
    assert client.zcard("citegraph:workers") == 1
    presence.close()
