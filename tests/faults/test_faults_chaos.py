"""Everything at once (fault matrix 3): random kills, a restarted database, a broker that forgets and dies, a poison.

CITEGRAPH_CHAOS_JOBS=600 runs it at the size of docs/fault-matrix.md: 40 kills, two restarts of Postgres.
"""

import os
import random
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
import redis

from app.db.session import Database
from app.documents.shapes import Submission
from app.ids import JobId
from app.runtime.postgres import EmbeddedPostgres
from app.runtime.valkey import EmbeddedValkey
from app.settings import Settings
from tests.conftest import make_home
from tests.faults.conftest import Asker, kill_immediately
from tests.faults.corpora import small_documents
from tests.ingesting import make_runner, picture, submit
from tests.workers.conftest import Workers, wait_until

JOBS = int(os.environ.get("CITEGRAPH_CHAOS_JOBS", "90"))
KILLS = max(6, JOBS * 40 // 600)
RESTARTS = 2 if JOBS >= 600 else 1
TENANTS, WORKERS = 3, 3
PATIENCE = 60 + JOBS


@dataclass
class Chaos:
    """The seeded plan: what is done to the system when so many jobs have ended."""

    draw: random.Random
    actions: dict[int, list[Callable[[], None]]] = field(default_factory=dict)

    def plan(self, action: Callable[[], None]) -> None:
        """Do this once, at some moment before the last tenth of the jobs."""
        self.actions.setdefault(self.draw.randrange(1, JOBS * 9 // 10), []).append(action)

    def run(self, ended: Callable[[], int]) -> None:
        """Carry the plan out; each moment comes when its number of jobs has ended."""
        for moment in sorted(self.actions):
            wait_until(
                lambda moment=moment: ended() >= moment, seconds=PATIENCE, what=f"{moment} jobs to end"
            )
            for action in self.actions[moment]:
                action()


def without_poison(shown: dict[str, list[tuple[object, ...]]]) -> dict[str, list[tuple[object, ...]]]:
    """The picture without the chunks that the poisonous document had got so far."""
    return shown | {"chunks": [row for row in shown["chunks"] if row[0] != "poison"]}


@pytest.mark.slow
def test_random_kills_restarts_and_floods_lose_and_double_nothing(
    database: Database,
    settings: Settings,
    postgres: EmbeddedPostgres,
    valkey: EmbeddedValkey,
    workers: Workers,
    ask: Asker,
) -> None:
    """Row 3: every job done, every graph equal to the undisturbed run's, the poison failed with its reason."""
    documents = small_documents(JOBS // TENANTS)
    undisturbed = make_home(database, "undisturbed")
    for each in documents:
        submit(database, undisturbed, each)
    make_runner(database, settings).drain()
    expected = picture(database, undisturbed)
    assert len(expected["edges"]) > len(documents)

    homes = [make_home(database, f"tenant-{number}") for number in range(TENANTS)]
    poison = Submission(b"POISON. IBM created Db2.", documents[0].format, "poison")
    poisoned: JobId | None = None
    for position, each in enumerate(documents):
        for home in homes:
            submit(database, home, each)
            if home == homes[0] and position == len(documents) // 4:
                poisoned = submit(database, home, poison)[1]

    chaos = Chaos(random.Random(20_26))
    spaces = [home.space_id for home in homes]

    def kill() -> None:
        workers.kill(chaos.draw.choice(workers.alive))
        workers.start()

    def restart_postgres() -> None:
        kill_immediately(postgres)
        postgres.start()

    def flush() -> None:
        client = redis.Redis.from_url(valkey.url())
        client.flushall()
        client.close()

    def kill_valkey() -> None:
        pid = valkey.pid()
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        valkey.start()

    for action in [kill] * KILLS + [restart_postgres] * RESTARTS + [flush, kill_valkey]:
        chaos.plan(action)

    def ended() -> int:
        return int(
            ask.value(
                "SELECT count(*) FROM job WHERE state IN ('done', 'failed') AND knowledge_space_id = ANY(%s)",
                spaces,
            )
        )

    begun = time.monotonic()
    for _ in range(WORKERS):
        workers.start()
    chaos.run(ended)
    wait_until(lambda: ended() == len(documents) * TENANTS + 1, seconds=PATIENCE, what="all jobs to end")
    seconds = time.monotonic() - begun

    attempts, crashed = ask.rows(
        "SELECT sum(attempt), count(*) FILTER (WHERE attempt > 1) FROM job WHERE knowledge_space_id = ANY(%s)",
        spaces,
    )[0]
    print(
        f"chaos: {JOBS} jobs, {KILLS} kills, {RESTARTS} restarts of Postgres, {seconds:.1f} s,"
        f" {attempts} attempts, {crashed} jobs taken over"
    )
    assert poisoned is not None
    not_done = ask.rows(
        "SELECT id, state, error_code FROM job WHERE state <> 'done' AND knowledge_space_id = ANY(%s)", spaces
    )
    assert not_done == [(poisoned, "failed", "poison")], workers.logs()[-3000:]
    failed = ask.rows("SELECT title, state, failure_code FROM document WHERE state <> 'ready'")
    assert failed == [("poison", "failed", "poison")]
    for home in homes:
        assert without_poison(picture(database, home)) == expected
    assert "job_error" not in workers.logs()


def test_the_plan_is_the_same_for_the_same_seed() -> None:
    """A run that failed can be run again: kills come at the same numbers of jobs done."""

    def moments() -> list[int]:
        chaos = Chaos(random.Random(3))
        for _ in range(KILLS):
            chaos.plan(lambda: None)
        return sorted(chaos.actions)

    assert moments() == moments()
