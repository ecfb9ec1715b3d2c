"""Trials by another model of the same server: paid once, within the budget, and not again once promoted."""

from collections.abc import Iterator
from decimal import Decimal

import pytest

from app.db.database import Database
from app.db.models import Job
from app.db.session import SpaceSession
from app.documents import service as documents
from app.ids import DocumentId, JobId
from app.ingest.extractor_choice import Extractors
from app.ingest.trials import service as trials
from app.jobs import queue
from app.llm.client import ModelClient
from app.llm.errors import BudgetExhausted
from app.llm.testing import ModelDouble
from app.settings import Settings
from app.tenancy.tenants import budgets
from tests.conftest import Home
from tests.support.contradictions import look
from tests.support.ingest import corpus, picture, submit
from tests.support.trials import begin, promote, report, trial_runner
from workers.runner import Runner

PRICES = {"double": (1.0, 1.0), "second": (10.0, 10.0)}


@pytest.fixture
def runner(database: Database, settings: Settings, double: ModelDouble) -> Iterator[Runner]:
    client = ModelClient(
        api_key="unused", base_url=double.base_url, model="double", prices=PRICES, parallel=2, attempts=1
    )
    extractors = Extractors(database, client, offered_models=["second"])
    yield trial_runner(database, settings, extractors)
    extractors.close()


@pytest.fixture
def offering(settings: Settings) -> Settings:
    return settings.model_copy(
        update=Settings(openai_api_key="unused", llm_model="double", llm_models=["second"]).model_dump(
            include={"openai_api_key", "llm_model", "llm_models"}
        )
    )


def read_job(database: Database, home: Home, job_id: JobId) -> Job:
    with database.open_space(home.tenant_id, home.space_id) as space:
        return queue.get_job(space, job_id)


def readers(space: SpaceSession) -> set[str]:
    """The models that read the space's chunks last."""
    rows = space.connection.execute("SELECT DISTINCT split_part(extracted_by, '/', 1) FROM knowledge_chunk")
    return {row[0] for row in rows.fetchall()}


def models_asked(double: ModelDouble) -> list[str]:
    return [call.model for call in double.calls]


@pytest.mark.soak
def test_a_trial_asks_the_other_model_says_what_it_cost_and_is_paid_once(
    database: Database, offering: Settings, home: Home, runner: Runner, double: ModelDouble
) -> None:
    submit(database, home, *corpus()[:6])
    runner.drain()
    before, asked = picture(database, home), len(double.calls)
    trial = begin(database, offering, home, model="second", chunks=500)
    runner.drain()
    assert set(models_asked(double)[asked:]) == {"second"}
    shown = report(database, home, trial)
    assert shown.chunks > 5
    assert dict(shown.failures) == {}
    # The double answers as one model, whatever it is called.
    assert (shown.comparison.added, shown.comparison.lost, shown.comparison.retyped) == ([], [], [])
    assert shown.comparison.same > 5
    tokens = shown.trial.prompt_tokens + shown.trial.completion_tokens
    assert tokens > 0
    assert shown.trial.cost_usd == pytest.approx(float(Decimal(tokens) * 10 / 1_000_000))
    assert picture(database, home) == before
    # Tried again, nothing is asked.
    paid = len(double.calls)
    again = begin(database, offering, home, model="second", chunks=500)
    runner.drain()
    assert len(double.calls) == paid
    assert report(database, home, again).trial.cost_usd == 0
    # Where it becomes the space's model, it reads the documents again, which is not paid twice either.
    reading = promote(database, offering, home, again).job_id
    runner.drain()
    assert reading is not None
    done = read_job(database, home, reading)
    assert (done.state, done.counts["chunks"]) == ("done", shown.chunks)
    assert len(double.calls) == paid
    assert look(database, home, readers) == {"second"}
    # And what comes from then on.
    (other,) = submit(database, home, *corpus()[6:7])[0]
    runner.drain()
    assert set(models_asked(double)[paid:]) == {"second"}
    read = look(database, home, lambda space: documents.get_document(space, DocumentId(other.document.id)))
    assert read.state == "ready"


def test_a_trial_without_budget_waits_and_goes_on_with_it(
    database: Database, offering: Settings, home: Home, runner: Runner, double: ModelDouble
) -> None:
    submit(database, home, *corpus()[:3])
    runner.drain()
    with database.open_platform() as platform:
        budgets.set_budget_and_unpark_jobs(platform, home.tenant_id, 0.0, actor="test")
    asked = len(double.calls)
    trial = begin(database, offering, home, model="second")
    runner.drain()
    job = read_job(database, home, trial)
    assert (job.state, job.error_code) == ("queued", BudgetExhausted.code)
    assert len(double.calls) == asked
    with database.open_platform() as platform:
        budgets.set_budget_and_unpark_jobs(platform, home.tenant_id, 100.0, actor="test")
        queue.unpark_jobs_of_tenant_and_count(platform, home.tenant_id, code=BudgetExhausted.code)
    runner.drain()
    assert read_job(database, home, trial).state == "done"


def test_what_a_model_s_space_tries_by_rules_costs_nothing(
    database: Database, offering: Settings, home: Home, runner: Runner, double: ModelDouble
) -> None:
    submit(database, home, *corpus()[:3])
    runner.drain()
    asked = len(double.calls)
    trial = begin(database, offering, home, model="rules")
    runner.drain()
    assert len(double.calls) == asked
    shown = report(database, home, trial)
    assert (shown.trial.state, shown.trial.cost_usd) == ("done", 0)
    assert shown.comparison.same > 3


def test_a_trial_that_is_dropped_while_it_runs_keeps_nothing(
    database: Database, offering: Settings, home: Home, runner: Runner, double: ModelDouble
) -> None:
    submit(database, home, *corpus()[:3])
    runner.drain()
    trial = begin(database, offering, home, model="second")
    dropped: list[JobId] = []

    def drop(_prompt: str) -> bool:
        if not dropped:
            dropped.append(trial)
            look(database, home, lambda space: trials.delete_trial(space, trial))
        return False

    double.when(drop, "")
    runner.drain()
    assert dropped
    assert read_job(database, home, trial).state == "cancelled"
    rows = look(
        database, home, lambda space: space.connection.execute("SELECT 1 FROM trial_reading").fetchall()
    )
    assert rows == []
