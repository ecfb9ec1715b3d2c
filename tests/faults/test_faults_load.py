"""Many clients while Postgres is restarted or the API is told to stop: what was accepted is there afterwards.

CITEGRAPH_LOAD_SECONDS says how long the first one runs; `python -m benchmarks restart` runs it for a minute.
"""

import http.client
import os
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import pytest

from app.db.database import Database
from app.ingest.model_double_answers import RulesAnswerer
from app.llm.testing import ModelDouble
from app.runtime.postgres import EmbeddedPostgres
from app.settings import Settings
from tests.conftest import Home
from tests.faults.conftest import Api, Asker, kill_immediately, make_key
from tests.support.http_client import Reply, Target, get, post
from tests.support.ingest import corpus, submit
from tests.support.service import await_ready, command, free_port, hand_in
from tests.workers.conftest import Workers, wait_until

CLIENTS, WRITERS = 50, 10
MODEL_WORKER = "tests.faults.model_worker"
SECONDS = float(os.environ.get("CITEGRAPH_LOAD_SECONDS", "8"))
# So that fifty clients of one tenant meet the limits of nobody but the database.
WIDE = {
    "pool_size": 30,
    "pool_overflow": 25,
    "max_queries": 40,
    "tenant_queries": 40,
    "max_uploads": 20,
    "tenant_uploads": 20,
    # A quarter of them is each process's own while Valkey is late.
    "key_rate": 2_000.0,
    "key_burst": 4_000,
    "tenant_rate": 2_000.0,
    "tenant_burst": 4_000,
}


@dataclass
class Crowd:
    """Clients that go on until they are told to stop, a part of which hands documents in."""

    act: Callable[[int, int], object]
    clients: int
    unanswered: list[str] = field(default_factory=list)
    _stop: threading.Event = field(default_factory=threading.Event)
    _threads: list[threading.Thread] = field(default_factory=list)

    def start(self) -> None:
        self._threads = [threading.Thread(target=self._run, args=[client]) for client in range(self.clients)]
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join(60)
        assert not any(thread.is_alive() for thread in self._threads)

    def _run(self, client: int) -> None:
        round_ = 0
        while not self._stop.wait(0.2):
            round_ += 1
            try:
                self.act(client, round_)
            except (OSError, http.client.HTTPException) as error:
                self.unanswered.append(type(error).__name__)


@pytest.mark.slow
@pytest.mark.soak
def test_fifty_clients_see_only_503_while_postgres_restarts_and_lose_nothing(
    postgres: EmbeddedPostgres, start_api: Callable[..., Api], home: Home, workers: Workers, ask: Asker
) -> None:
    """Issue 13: 503 with Retry-After meanwhile; every document that was accepted is taken in."""
    api = start_api(**WIDE)
    workers.start()
    replies = []

    def act(client: int, round_: int) -> None:
        if client < WRITERS and round_ % 5 == 0:
            replies.append(api.post(home, f"Db2 uses Kafka. Note {client} of round {round_}."))
        else:
            replies.append(api.get_space(home))

    def count(status: int) -> int:
        return sum(reply.status == status for reply in replies)

    crowd = Crowd(act, CLIENTS)
    begun = time.monotonic()
    crowd.start()
    try:
        wait_until(lambda: time.monotonic() - begun > SECONDS / 2, seconds=SECONDS + 60, what="the middle")
        wait_until(lambda: count(202) >= WRITERS, what="documents accepted")
        accepted = count(202)
        kill_immediately(postgres)
        wait_until(lambda: count(503) >= CLIENTS, what="answers without a database")
        postgres.start()
        wait_until(lambda: count(202) > accepted + WRITERS, what="documents accepted again")
        wait_until(lambda: time.monotonic() - begun > SECONDS, seconds=SECONDS + 60, what="the end")
    finally:
        crowd.stop()
    statuses = Counter(reply.status for reply in replies)
    codes = Counter(reply.body["code"] for reply in replies if reply.status >= 400)
    print(f"{CLIENTS} clients, {time.monotonic() - begun:.0f} s: {dict(statuses)}, {dict(codes)}")
    assert set(statuses) == {200, 202, 503}
    assert crowd.unanswered == []
    assert all(int(reply.headers["retry-after"]) > 0 for reply in replies if reply.status == 503)
    documents = [reply.body["documents"][0]["id"] for reply in replies if reply.status == 202]
    wait_until(
        lambda: ask.value("SELECT count(*) FROM job WHERE state IN ('queued', 'running')") == 0,
        seconds=120,
        what="all jobs",
    )
    states = ask.rows("SELECT state, count(*) FROM document WHERE id = ANY(%s::uuid[]) GROUP BY 1", documents)
    assert states == [("ready", len(documents))], workers.logs()[-2_000:]
    assert "Traceback" not in workers.logs()


@pytest.mark.soak
def test_an_api_that_is_told_to_stop_under_load_loses_nothing_that_it_accepted(
    settings: Settings, database: Database, home: Home, ask: Asker, tmp_path: Path
) -> None:
    """SIGTERM: what is under way is answered, and recalls that were noted are written."""
    port = free_port()
    # Recalls are written by the end of the process alone, or are lost.
    served = settings.model_copy(update={**WIDE, "port": port, "recall_seconds": 3_600.0})
    target = replace(Target(port, make_key(database, home)), space_id=str(home.space_id))
    accepted: list[str] = []
    recalled: list[int] = []

    def act(client: int, round_: int) -> None:
        if client % 2:
            answer = hand_in(target, f"Db2 uses Kafka. Note {client} of round {round_}.")
            if answer.status == 202:
                accepted.append(answer.body["documents"][0]["id"])
        else:
            found = post(target, f"{target.space}/retrieve", {"query": "What uses Kafka?"})
            if found.status == 200:
                recalled.append(len(found.body["passages"]))

    crowd = Crowd(act, 12)
    with command(served, "serve", tmp_path) as api:
        await_ready(port, api, tmp_path)
        first: Reply = hand_in(target, "Db2 uses Kafka. Redis uses Kafka.")
        workers = Workers(settings, tmp_path)
        workers.start()
        try:
            job = first.body["job"]["id"]
            wait_until(
                lambda: get(target, f"{target.space}/jobs/{job}").body["state"] == "done", what="a job"
            )
        finally:
            workers.close()
        crowd.start()
        wait_until(lambda: len(accepted) > 10 and len(recalled) > 10, what="requests of both kinds")
        api.send_signal(signal.SIGTERM)
        code = api.wait(30)
        crowd.stop()
    log = (tmp_path / "serve.log").read_text()
    # 128 + 15: it ended by the signal, in order.
    assert code == 143, log[-2_000:]
    assert "Application shutdown complete" in log
    # Who comes afterwards finds nobody; nobody's request was cut off in the middle.
    assert set(crowd.unanswered) <= {"ConnectionRefusedError", "RemoteDisconnected", "ConnectionResetError"}
    there = ask.value("SELECT count(*) FROM document WHERE id = ANY(%s::uuid[])", accepted)
    assert there == len(accepted)
    assert ask.value("SELECT coalesce(sum(recall_count), 0) FROM chunk_recall") >= sum(recalled)
    assert "recalls_dropped" not in log
    assert "Traceback" not in log


@pytest.mark.soak
def test_a_worker_told_to_stop_pays_for_nothing_twice(
    settings: Settings, database: Database, home: Home, twin: Home, ask: Asker, tmp_path: Path
) -> None:
    """SIGTERM while it waits for a model: the job is taken up again, and answers that came are kept."""
    documents = corpus()[:8]
    of_job = "FROM job WHERE knowledge_space_id = %s"
    with ModelDouble(RulesAnswerer(), latency=0.1) as double:
        asking = settings.model_copy(
            update={"openai_base_url": double.base_url, "llm_model": "double", "llm_parallel": 2}
        )
        workers = Workers(asking, tmp_path)
        try:
            workers.start(module=MODEL_WORKER)
            submit(database, twin, *documents)
            done = "SELECT count(*) FROM job WHERE state = 'done'"
            wait_until(lambda: ask.value(done) == 1, seconds=120, what="the undisturbed job")
            undisturbed = len(double.calls)
            submit(database, home, *documents)
            for share in (0.3, 0.6):
                some = undisturbed * (1 + share)
                wait_until(partial(has_called, double, some), what="some calls")
                (worker,) = workers.alive
                os.kill(worker.pid, signal.SIGTERM)
                worker.wait(60)
                assert ask.rows(f"SELECT state {of_job}", home.space_id) == [("queued",)]
                workers.start(module=MODEL_WORKER)
            wait_until(lambda: ask.value(done) == 2, seconds=120, what="the job that was handed back")
        finally:
            workers.close()
        assert len(double.calls) == 2 * undisturbed
    assert ask.rows(f"SELECT attempt, failures, crash_count {of_job}", home.space_id) == [(1, 0, 0)]


def has_called(double: ModelDouble, calls: float) -> bool:
    """Tell whether more calls than these have come."""
    return len(double.calls) > calls
