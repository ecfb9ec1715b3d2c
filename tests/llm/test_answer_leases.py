"""What one process asks a model, no other pays for: two servers, a kill and a budget in a check."""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from app.answers.paid_calls import PaidCalls
from app.answers.shapes import FinalAnswer, SentenceWritten
from app.answers.support_by_model import BY_WORDS_WARNING
from app.db.database import Database
from app.documents import service as documents
from app.ids import DocumentId
from app.ingest import service as ingest
from app.ingest.model_double_answers import RulesAnswerer
from app.llm.call_records import CallRecord
from app.llm.client import ModelClient
from app.llm.model_calls.asker import Asker
from app.llm.model_calls.ledger import LEASE_SECONDS
from app.llm.model_calls.malformed_answer_retries import Fault
from app.llm.prompts import answer as answer_prompt
from app.llm.testing import ModelDouble
from app.settings import Settings
from app.tenancy.tenants import budgets
from app.tenancy.tenants import service as tenants
from tests.conftest import Home
from tests.llm.conftest import MakeClient
from tests.support.paying_callers import PROMPT, passage
from tests.support.questions import PRICES, QUESTION, answer, events, fill, script
from tests.workers.conftest import wait_until

SAID = "Difference Engine Works created brass gears [1]."
VERDICT = {"passages": [{"id": 1, "supported": True}]}
PROJECT = Path(__file__).parents[2]


class HeldAnswerer(RulesAnswerer):
    """Answers once it may, but questions of people at once; `asked` counts the others."""

    def __init__(self) -> None:
        super().__init__()
        self.may = Event()
        self.asked = 0

    def answer(self, messages: Sequence[Mapping[str, str]]) -> Mapping[str, Any] | str | None:
        """Wait, then answer; a check with yes."""
        self.asked += 1
        self.may.wait(300)
        return VERDICT if '"supported"' in messages[0]["content"] else super().answer(messages)


@pytest.fixture
def held() -> Iterator[tuple[HeldAnswerer, ModelDouble]]:
    answerer = HeldAnswerer()
    with ModelDouble(answerer) as double:
        script(double, SAID)
        yield answerer, double
        answerer.may.set()


@pytest.fixture
def library(database: Database, settings: Settings, home: Home, twin: Home) -> Home:
    fill(database, settings, home, twin)
    return home


class HeldWriter(RulesAnswerer):
    """Writes an answer once it may, and checks at once; `asked` counts the answers."""

    def __init__(self) -> None:
        super().__init__()
        self.may = Event()
        self.asked = 0

    def answer(self, messages: Sequence[Mapping[str, str]]) -> Mapping[str, Any] | str | None:
        """Wait and write, or check with yes."""
        if not answer_prompt.is_system_message_of_prompt(messages[0]["content"]):
            return VERDICT
        self.asked += 1
        self.may.wait(300)
        return SAID


@pytest.fixture
def writer() -> Iterator[tuple[HeldWriter, ModelDouble]]:
    answerer = HeldWriter()
    with ModelDouble(answerer) as double:
        yield answerer, double
        answerer.may.set()


@pytest.fixture
def start_process(settings: Settings, home: Home) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Processes that ask about the first passage of `paying_callers`, or as another module does."""
    started: list[subprocess.Popen[str]] = []

    def start(base_url: str, module: str = "paying_callers") -> subprocess.Popen[str]:
        assert settings.database_url is not None
        arguments = [settings.database_url, base_url, str(home.tenant_id), str(home.space_id)]
        arguments += ["", "1"] if module == "paying_callers" else []
        started.append(
            subprocess.Popen(
                [sys.executable, "-m", f"tests.support.{module}", *arguments],
                cwd=PROJECT,
                stdout=subprocess.PIPE,
                text=True,
            )
        )
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.communicate()


def ask_first_passage(database: Database, home: Home, client: ModelClient) -> list[CallRecord]:
    """Ask about what the processes ask about; return the paid calls."""
    calls = PaidCalls(database, tenant_id=home.tenant_id, space_id=home.space_id)
    (found,) = Asker(client, calls, home.tenant_id).ask(PROMPT, [passage(1)])
    assert not isinstance(found, Fault)
    return calls.call_records


def leases(database: Database, home: Home) -> int:
    with database.open_space(home.tenant_id, home.space_id) as space:
        (count,) = space.connection.execute("SELECT count(*) FROM model_answer_lease").fetchone() or (None,)
    assert count is not None
    return int(count)


def reserved(database: Database, home: Home) -> Decimal:
    with database.open_space(home.tenant_id, home.space_id) as space:
        (usd,) = space.connection.execute(
            "SELECT coalesce(sum(cost_usd), 0) FROM budget_reservation"
        ).fetchone() or (None,)
    assert usd is not None
    return Decimal(usd)


def spent(database: Database, home: Home) -> Decimal:
    with database.open_tenant(home.tenant_id) as tenant:
        return sum((Decimal(row.cost_usd) for row in tenants.list_daily_usage(tenant)), Decimal(0))


def set_budget(database: Database, home: Home, usd: float) -> None:
    with database.open_platform() as platform:
        budgets.set_budget_and_unpark_jobs(platform, home.tenant_id, usd, actor="test")


@pytest.mark.soak
def test_two_processes_pay_once_for_an_answer_that_takes_longer_than_a_lease(
    database: Database,
    home: Home,
    held: tuple[HeldAnswerer, ModelDouble],
    make_client: MakeClient,
    start_process: Callable[..., subprocess.Popen[str]],
) -> None:
    answerer, double = held
    other = start_process(double.base_url)
    wait_until(lambda: answerer.asked == 1, seconds=240, what="the other process's call")
    with ThreadPoolExecutor(1) as pool:
        asking = pool.submit(ask_first_passage, database, home, make_client(double.base_url, prices=PRICES))
        time.sleep(LEASE_SECONDS + 2)
        assert not asking.done()
        assert answerer.asked == 1
        answerer.may.set()
        assert asking.result(timeout=60) == []
    assert other.communicate(timeout=60)[0] == "paid\n"
    assert answerer.asked == 1
    assert leases(database, home) == 0


@pytest.mark.soak
def test_a_process_killed_in_its_call_is_waited_for_no_longer_than_its_lease(
    database: Database,
    home: Home,
    held: tuple[HeldAnswerer, ModelDouble],
    make_client: MakeClient,
    start_process: Callable[..., subprocess.Popen[str]],
) -> None:
    answerer, double = held
    set_budget(database, home, 1_000.0)
    killed = start_process(double.base_url)
    wait_until(lambda: answerer.asked == 1, seconds=240, what="the other process's call")
    killed.kill()
    killed.wait()
    set_aside = reserved(database, home)
    assert set_aside > 0
    assert leases(database, home) == 1
    began = time.monotonic()
    with ThreadPoolExecutor(1) as pool:
        asking = pool.submit(ask_first_passage, database, home, make_client(double.base_url, prices=PRICES))
        wait_until(lambda: answerer.asked == 2, what="this process's call")
        assert time.monotonic() - began < LEASE_SECONDS + 15
        answerer.may.set()
        assert [call.outcome for call in asking.result(timeout=60)] == ["ok"]
    # What the killed call may have cost stays set aside until it must have ended.
    assert reserved(database, home) == set_aside
    assert leases(database, home) == 0


def test_a_budget_that_is_spent_in_the_check_keeps_its_verdict_and_stops_the_next(
    database: Database, library: Home, held: tuple[HeldAnswerer, ModelDouble], make_client: MakeClient
) -> None:
    answerer, double = held
    client = make_client(double.base_url, prices=PRICES)
    set_budget(database, library, 1_000.0)
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(answer, database, library, client)
        wait_until(lambda: answerer.asked == 1, what="the check")
        budget = float(spent(database, library) + reserved(database, library))
        set_budget(database, library, budget)
        refused: FinalAnswer = answer(database, library, client)
        answerer.may.set()
        found = asked.result(timeout=30)
    assert [sentence.supported for sentence in found.sentences] == [True]
    assert not found.warnings
    # Nothing was left beside the check under way: no call was made, and the answer says so.
    assert (refused.mode.value, refused.usage.calls) == ("extractive", 0)
    assert any("budget" in warning for warning in refused.warnings)
    assert float(spent(database, library)) <= budget
    set_budget(database, library, 1_000.0)
    again = answer(database, library, client)
    assert (again.usage.calls, [sentence.supported for sentence in again.sentences]) == (1, [True])
    assert BY_WORDS_WARNING not in " ".join(again.warnings)
    assert answerer.asked == 1


@pytest.mark.soak
def test_a_check_that_fails_leaves_its_question_to_who_waits(
    database: Database, library: Home, held: tuple[HeldAnswerer, ModelDouble], make_client: MakeClient
) -> None:
    answerer, double = held
    failing: ModelClient = make_client(double.base_url, prices=PRICES, timeout=3.0, attempts=1)
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(answer, database, library, failing)
        wait_until(lambda: answerer.asked == 1, what="the first check")
        second = pool.submit(answer, database, library, make_client(double.base_url, prices=PRICES))
        wait_until(lambda: answerer.asked == 2, what="the second check")
        answerer.may.set()
        assert any(BY_WORDS_WARNING in warning for warning in first.result(timeout=30).warnings)
        found = second.result(timeout=30)
    assert (found.usage.calls, [sentence.supported for sentence in found.sentences]) == (2, [True])


def passed_on(database: Database, home: Home) -> int:
    with database.open_space(home.tenant_id, home.space_id) as space:
        (count,) = space.connection.execute(
            "SELECT count(*) FROM model_answer_lease WHERE answer IS NOT NULL"
        ).fetchone() or (None,)
    assert count is not None
    return int(count)


def test_two_who_ask_the_same_at_once_pay_one_answer(
    database: Database, library: Home, writer: tuple[HeldWriter, ModelDouble], make_client: MakeClient
) -> None:
    answerer, double = writer
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(answer, database, library, make_client(double.base_url, prices=PRICES))
        wait_until(lambda: answerer.asked == 1, what="the first answer")
        second = pool.submit(answer, database, library, make_client(double.base_url, prices=PRICES))
        other = pool.submit(
            answer, database, library, make_client(double.base_url), "Who founded Difference Engine Works?"
        )
        time.sleep(1.5)
        assert not second.done()
        answerer.may.set()
        answers = [asking.result(timeout=60) for asking in (first, second)]
        other.result(timeout=60)
    # The other question is another prompt.
    assert answerer.asked == 2
    assert [sentence.text for given in answers for sentence in given.sentences] == [
        "Difference Engine Works created brass gears."
    ] * 2
    assert [given.usage.calls for given in answers] == [2, 0]
    assert {given.mode.value for given in answers} == {"model"}
    # Kept for who waits, and gone with what it may quote.
    assert passed_on(database, library) == 2
    with database.open_space(library.tenant_id, library.space_id) as space:
        (works,) = (
            document for document in documents.list_documents(space, limit=9) if document.title == "Works"
        )
        ingest.delete_document_with_all_its_words(space, DocumentId(works.id))
    assert passed_on(database, library) == 0


@pytest.mark.soak
def test_an_answer_of_a_killed_process_is_asked_for_by_who_waits(
    database: Database,
    library: Home,
    writer: tuple[HeldWriter, ModelDouble],
    make_client: MakeClient,
    start_process: Callable[..., subprocess.Popen[str]],
) -> None:
    answerer, double = writer
    killed = start_process(double.base_url, "asking_caller")
    wait_until(lambda: answerer.asked == 1, seconds=240, what="the other process's answer")
    began = time.monotonic()
    with ThreadPoolExecutor(1) as pool:
        asking = pool.submit(answer, database, library, make_client(double.base_url, prices=PRICES))
        time.sleep(LEASE_SECONDS + 2)
        # It lives, and is waited for.
        assert (asking.done(), answerer.asked) == (False, 1)
        killed.kill()
        killed.wait()
        wait_until(lambda: answerer.asked == 2, what="this process's answer")
        assert time.monotonic() - began < 2 * LEASE_SECONDS + 17
        answerer.may.set()
        given = asking.result(timeout=60)
    assert [sentence.text for sentence in given.sentences] == ["Difference Engine Works created brass gears."]
    # What the killed process asked was lost; the answer itself was paid once.
    assert (given.mode.value, given.usage.calls) == ("model", 2)


@pytest.mark.soak
def test_two_processes_pay_one_answer(
    database: Database,
    library: Home,
    writer: tuple[HeldWriter, ModelDouble],
    make_client: MakeClient,
    start_process: Callable[..., subprocess.Popen[str]],
) -> None:
    answerer, double = writer
    other = start_process(double.base_url, "asking_caller")
    wait_until(lambda: answerer.asked == 1, seconds=240, what="the other process's answer")
    with ThreadPoolExecutor(1) as pool:
        asking = pool.submit(answer, database, library, make_client(double.base_url, prices=PRICES))
        time.sleep(1.5)
        answerer.may.set()
        given = asking.result(timeout=60)
    said = "Difference Engine Works created brass gears."
    assert other.communicate(timeout=60)[0].endswith(f"{said}\n")
    assert [sentence.text for sentence in given.sentences] == [said]
    assert answerer.asked == 1


def test_a_stopped_answer_is_not_passed_on(
    database: Database, library: Home, writer: tuple[HeldWriter, ModelDouble], make_client: MakeClient
) -> None:
    answerer, double = writer
    answerer.may.set()
    with closing(events(database, library, make_client(double.base_url, prices=PRICES))) as stopped:
        next(event for event in stopped if isinstance(event, SentenceWritten))
    assert (leases(database, library), answerer.asked) == (0, 1)
    assert answer(database, library, make_client(double.base_url, prices=PRICES)).usage.calls == 2


class TestARepeatedRequest:
    """Questions with the same request key are one request: its text is paid once."""

    @pytest.fixture
    def ask_as(
        self,
        database: Database,
        library: Home,
        writer: tuple[HeldWriter, ModelDouble],
        make_client: MakeClient,
    ) -> Callable[..., FinalAnswer]:
        writer[0].may.set()
        client = make_client(writer[1].base_url, prices=PRICES)
        return lambda request_key, question=QUESTION, **changes: answer(
            database, library, client, question, request_key=request_key, **changes
        )

    def test_has_the_text_that_was_written_for_it(
        self, ask_as: Callable[..., FinalAnswer], writer: tuple[HeldWriter, ModelDouble]
    ) -> None:
        first, second = ask_as("key 1"), ask_as("key 1")
        assert (first.usage.calls, second.usage.calls, writer[0].asked) == (2, 0, 1)
        assert second.sentences == first.sentences
        assert second.citations == first.citations

    @pytest.mark.parametrize("request_key", ["key 2", None])
    def test_another_request_is_written_anew(
        self,
        ask_as: Callable[..., FinalAnswer],
        writer: tuple[HeldWriter, ModelDouble],
        request_key: str | None,
    ) -> None:
        ask_as("key 1")
        ask_as(request_key)
        assert writer[0].asked == 2

    def test_what_is_asked_of_other_passages_or_another_day_is_written_anew(
        self, ask_as: Callable[..., FinalAnswer], writer: tuple[HeldWriter, ModelDouble]
    ) -> None:
        ask_as("key 1")
        ask_as("key 1", "Who founded Difference Engine Works?")
        ask_as("key 1", as_of=datetime(2024, 5, 1, tzinfo=UTC))
        assert writer[0].asked == 3

    def test_goes_with_what_is_erased(
        self,
        ask_as: Callable[..., FinalAnswer],
        database: Database,
        library: Home,
    ) -> None:
        ask_as("key 1")
        assert passed_on(database, library) == 2
        with database.open_space(library.tenant_id, library.space_id) as space:
            (works,) = (
                document for document in documents.list_documents(space, limit=9) if document.title == "Works"
            )
            ingest.delete_document_with_all_its_words(space, DocumentId(works.id))
        assert passed_on(database, library) == 0

    def test_at_the_same_moment_waits_for_the_first(
        self,
        database: Database,
        library: Home,
        writer: tuple[HeldWriter, ModelDouble],
        make_client: MakeClient,
    ) -> None:
        client = make_client(writer[1].base_url, prices=PRICES)
        with ThreadPoolExecutor(3) as pool:
            asked = [
                pool.submit(answer, database, library, client, request_key=request_key)
                for request_key in ("key 1", "key 1", "key 2")
            ]
            wait_until(lambda: writer[0].asked == 1, what="the answer")
            time.sleep(1.0)
            writer[0].may.set()
            answers = [asking.result(timeout=60) for asking in asked]
        assert writer[0].asked == 1
        assert len({given.sentences for given in answers}) == 1

    def test_a_text_that_was_cut_off_is_written_again(
        self,
        database: Database,
        library: Home,
        writer: tuple[HeldWriter, ModelDouble],
        make_client: MakeClient,
    ) -> None:
        writer[0].may.set()
        client = make_client(writer[1].base_url, prices=PRICES)
        with closing(events(database, library, client, request_key="key 1")) as stopped:
            next(event for event in stopped if isinstance(event, SentenceWritten))
        assert (leases(database, library), writer[0].asked) == (0, 1)
        assert answer(database, library, client, request_key="key 1").usage.calls == 2
