"""A budget holds for all processes of a tenant together: calls under way count until they end.

The double answers when the test lets it, so that what happens at once does not depend on the machine.
"""

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from pathlib import Path
from typing import Any
from unittest.mock import patch

import psycopg
import pytest

from app.db.database import Database
from app.ids import JobId, ReservationId, TenantId, create_id
from app.ingest.model_double_answers import RulesAnswerer
from app.jobs import queue
from app.jobs.kinds import IngestDocuments
from app.llm.call_records import InProcessAnswerStore
from app.llm.client import ModelClient
from app.llm.embedding.openai_embedder import OpenAIEmbedder
from app.llm.errors import BudgetExhausted, MalformedReply, ModelUnavailable
from app.llm.model_calls.asker import Asker
from app.llm.model_calls.ledger import DatabaseAnswerStore
from app.llm.testing import Fault, ModelDouble
from app.llm.testing import Mode as M
from app.settings import Settings
from app.tenancy.tenants import budgets
from app.tenancy.tenants import service as tenants
from tests.conftest import Home, under
from tests.support.ingest import submit, text
from tests.support.paying_callers import PROMPT, ask, budget_for, make_client, passage
from tests.workers.conftest import wait_until
from workers.sweeper import sweep_and_wake_if_jobs_wait

PROJECT = Path(__file__).parents[2]


class Held(RulesAnswerer):
    """Answers once it may."""

    def __init__(self) -> None:
        super().__init__()
        self.may = threading.Event()
        self.asked = 0

    def answer(self, messages: Sequence[Mapping[str, str]]) -> Mapping[str, Any] | str | None:
        """Wait, then answer."""
        self.asked += 1
        self.may.wait(60)
        return super().answer(messages)


@pytest.fixture
def held() -> Iterator[tuple[Held, ModelDouble]]:
    answerer = Held()
    with ModelDouble(answerer) as running:
        yield answerer, running
        answerer.may.set()


class Callers:
    """Processes whose threads ask; `lines` is what they said so far."""

    def __init__(self, url: str, base_url: str, home: Home) -> None:
        self._fixed = [url, base_url, str(home.tenant_id), str(home.space_id)]
        self._running: list[subprocess.Popen[str]] = []
        self._readers: list[threading.Thread] = []
        self.lines: list[str] = []

    def start(self, numbers: Sequence[int], *, job_id: JobId | None = None) -> subprocess.Popen[str]:
        """One more process, with a thread for each number."""
        arguments = [*self._fixed, str(job_id or ""), *map(str, numbers)]
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.paying_callers", *arguments],
            cwd=PROJECT,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._running.append(process)
        reader = threading.Thread(target=self._read, args=(process,))
        reader.start()
        self._readers.append(reader)
        return process

    def _read(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        with process.stdout as said:
            for line in said:
                self.lines.append(line.strip())

    def stop(self) -> None:
        """End those that still run."""
        for process in self._running:
            process.kill()
            process.wait()
        for reader in self._readers:
            reader.join()


@pytest.fixture
def start_callers(settings: Settings) -> Iterator[Callable[[str, Home], Callers]]:
    made: list[Callers] = []

    def make(base_url: str, home: Home) -> Callers:
        assert settings.database_url is not None
        made.append(Callers(settings.database_url, base_url, home))
        return made[-1]

    yield make
    for callers in made:
        callers.stop()


@pytest.fixture
def sent() -> Iterator[list[str]]:
    """Every text that psycopg sends."""
    texts: list[str] = []
    execute = psycopg.Cursor.execute

    def recorded(self: Any, query: Any, *arguments: Any, **options: Any) -> Any:
        texts.append(query.decode() if isinstance(query, bytes) else str(query))
        return execute(self, query, *arguments, **options)

    with patch.object(psycopg.Cursor, "execute", recorded):
        yield texts


def set_budget(database: Database, home: Home, usd: Decimal | float | None) -> None:
    with database.open_platform() as platform:
        budgets.set_budget_and_unpark_jobs(
            platform, home.tenant_id, None if usd is None else float(usd), actor="test"
        )


def reserved(database: Database, home: Home) -> list[tuple[Any, ...]]:
    with database.open_space(home.tenant_id, home.space_id) as space:
        return space.connection.execute("SELECT job_id, cost_usd FROM budget_reservation").fetchall()


def stored(database: Database, home: Home, job_id: JobId | None = None) -> DatabaseAnswerStore:
    return DatabaseAnswerStore(database, tenant_id=home.tenant_id, space_id=home.space_id, job_id=job_id)


@pytest.mark.soak
def test_eight_callers_in_two_processes_pay_three_calls_of_a_budget_for_three(
    database: Database,
    home: Home,
    twin: Home,
    held: tuple[Held, ModelDouble],
    start_callers: Callable[[str, Home], Callers],
) -> None:
    answerer, double = held
    client = make_client(double.base_url)
    budget = budget_for(client, 3)
    set_budget(database, home, budget)
    callers = start_callers(double.base_url, home)
    for numbers in ([1, 2, 3, 4], [5, 6, 7, 8]):
        callers.start(numbers)
    wait_until(lambda: len(callers.lines) + answerer.asked == 8, what="eight callers")
    assert (callers.lines, answerer.asked) == (["exhausted"] * 5, 3)
    assert len(reserved(database, home)) == 3
    # What others have in flight is nothing to a tenant without a budget.
    assert reserved(database, twin) == []
    answerer.may.set()
    wait_until(lambda: len(callers.lines) == 8, what="three answers")
    assert callers.lines[5:] == ["paid"] * 3
    assert len(double.calls) == 3
    assert reserved(database, home) == []
    with database.open_tenant(home.tenant_id) as tenant:
        assert sum(row.cost_usd for row in tenants.list_daily_usage(tenant)) <= budget
    client.close()


@pytest.mark.soak
def test_the_budget_of_a_space_holds_too(
    database: Database,
    home: Home,
    held: tuple[Held, ModelDouble],
    start_callers: Callable[[str, Home], Callers],
) -> None:
    answerer, double = held
    client = make_client(double.base_url)
    with database.open_space(home.tenant_id, home.space_id) as space:
        space.connection.execute(
            "UPDATE knowledge_space SET settings = jsonb_build_object('budget_usd', %s::numeric)"
            " WHERE id = %s",
            [budget_for(client, 1), home.space_id],
        )
    callers = start_callers(double.base_url, home)
    callers.start([1, 2])
    wait_until(lambda: len(callers.lines) + answerer.asked == 2, what="two callers")
    assert (callers.lines, answerer.asked) == (["exhausted"], 1)
    client.close()


@pytest.mark.soak
def test_a_killed_workers_reservation_ends_with_its_lease(
    database: Database,
    settings: Settings,
    home: Home,
    held: tuple[Held, ModelDouble],
    start_callers: Callable[[str, Home], Callers],
) -> None:
    answerer, double = held
    client = make_client(double.base_url)
    set_budget(database, home, budget_for(client, 1))
    short = settings.model_copy(update={"job_lease": 0.5})
    _, job_id = submit(database, home, text("Acme owns Globex."))
    assert job_id is not None
    with database.open_platform() as platform:
        lease = queue.claim_next_job(
            platform, worker="test", kinds=[IngestDocuments.kind], lease_seconds=30.0
        )
    assert lease is not None
    worker = start_callers(double.base_url, home).start([1], job_id=job_id)
    wait_until(lambda: answerer.asked == 1, what="the call")
    worker.kill()
    worker.wait()
    sweep_and_wake_if_jobs_wait(under(database, short))
    assert [row[0] for row in reserved(database, home)] == [job_id], "its lease holds"
    with pytest.raises(BudgetExhausted):
        ask(client, stored(database, home), home.tenant_id, 2)
    with database.open_platform() as platform:
        queue.heartbeat_leases(platform, [lease], lease_seconds=0.0)
    sweep_and_wake_if_jobs_wait(under(database, short))
    assert reserved(database, home) == []
    answerer.may.set()
    ask(client, stored(database, home), home.tenant_id, 2)
    client.close()


def test_a_request_that_died_is_forgotten_when_its_call_must_have_ended(
    database: Database, home: Home, double: ModelDouble
) -> None:
    client = make_client(double.base_url)
    set_budget(database, home, budget_for(client, 1))
    # Three quarters of a call: what is left is too little for one, however its fence falls out.
    stored(database, home).reserve_cost(
        budget_for(client, 1) / 2, tokens=1, seconds=client.longest_call_seconds
    )
    with pytest.raises(BudgetExhausted):
        ask(client, stored(database, home), home.tenant_id, 1)
    with database.open_space(home.tenant_id, home.space_id) as space:
        space.connection.execute("UPDATE budget_reservation SET expires_at = now()")
    ask(client, stored(database, home), home.tenant_id, 1)
    client.close()


@pytest.mark.parametrize(
    ("fault", "error"), [(M.SERVER_ERROR, ModelUnavailable), (M.CUT_JSON, None), (M.QUOTA, Exception)]
)
def test_a_call_that_fails_releases_what_was_set_aside(
    database: Database, home: Home, double: ModelDouble, fault: M, error: type[Exception] | None
) -> None:
    client = make_client(double.base_url)
    set_budget(database, home, 1_000_000)
    double.faults.add(Fault(fault))
    with suppress(MalformedReply) if error is None else pytest.raises(error):
        ask(client, stored(database, home), home.tenant_id, 1)
    assert len(double.calls) >= 1
    assert reserved(database, home) == []
    client.close()


def test_vectors_are_reserved_as_answers_are(database: Database, home: Home, double: ModelDouble) -> None:
    client = make_client(double.base_url)
    client._prices = {"double-embedding": (1_000.0, 0.0)}
    set_budget(database, home, 0.004)
    meter = stored(database, home)
    embedder = OpenAIEmbedder(
        client, model="double-embedding", dimensions=256, tenant_id=home.tenant_id, meter=meter
    )
    embedder.embed(["four"])
    with pytest.raises(BudgetExhausted):
        embedder.embed(["sixteen letters."])
    assert len(double.calls) == 1
    assert reserved(database, home) == []
    client.close()


class _Noted(InProcessAnswerStore):
    """Notes what is reserved."""

    reserved = Decimal(0)

    def reserve_cost(
        self, cost_usd: Decimal, *, tokens: int, seconds: float, unpriced_model: str | None = None
    ) -> ReservationId | None:
        self.reserved += cost_usd
        return super().reserve_cost(cost_usd, tokens=tokens, seconds=seconds, unpriced_model=unpriced_model)


@pytest.mark.parametrize("passages", [1, 5, 8])
def test_all_that_is_sent_is_reserved(double: ModelDouble, passages: int) -> None:
    answers = _Noted()
    client = ModelClient(
        api_key="unused", base_url=double.base_url, model="double", prices={"double": (1.0, 0.0)}
    )
    try:
        Asker(client, answers, TenantId(create_id())).ask(
            PROMPT, [passage(number) for number in range(passages)]
        )
    finally:
        client.close()
    (call,) = answers.calls
    assert 0 < call.cost_usd <= answers.reserved


def test_a_call_with_a_budget_sends_one_statement_more(
    database: Database, home: Home, double: ModelDouble, sent: list[str]
) -> None:
    """Beside the look at the budget, which every priced call had: the one that frees."""
    client = make_client(double.base_url)
    answers = stored(database, home)

    def statements(number: int) -> list[str]:
        sent.clear()
        ask(client, answers, home.tenant_id, number)
        return [statement for statement in sent if "SET LOCAL" not in statement]

    without = statements(1)
    set_budget(database, home, 1_000_000)
    within = statements(2)
    assert len(within) == len(without) + 1
    assert sum("DELETE FROM budget_reservation" in statement for statement in within) == 1
    client.close()
