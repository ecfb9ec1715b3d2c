"""The whole ingest through a model: the same job, paid once, parked when the money or the model is gone."""

from collections.abc import Iterator
from decimal import Decimal
from functools import partial

import pytest

from app.db.database import Database
from app.db.models import Job
from app.ids import JobId, TenantId
from app.ingest.estimate import estimate_ingest
from app.ingest.extractor_choice import Extractors
from app.ingest.job import ingest_documents
from app.ingest.model_double_answers import RulesAnswerer
from app.jobs import queue
from app.jobs.kinds import IngestDocuments
from app.llm.client import ModelClient
from app.llm.errors import BudgetExhausted
from app.llm.model_calls.asker import CallSize
from app.llm.testing import ModelDouble
from app.llm.testing.faults import Fault, Mode
from app.sandbox.process_sandbox import InProcessSandbox
from app.settings import Settings
from app.space_settings import ClaimCheck
from app.tenancy.spaces import service as spaces
from app.tenancy.tenants import budgets
from app.tenancy.tenants import service as tenants
from tests.conftest import Home, under
from tests.support.ingest import corpus, picture, submit, text
from workers.runner import Runner

# Dollars per million tokens: a call of the corpus costs about 0.3 to 0.6 cents.
PRICES = {"double": (1.0, 1.0)}
ROSTER = (
    "Ada Lovelace created Analytical Engine Notes. Charles Babbage founded Difference Engine Works in London."
    " For some years after that very little was written down, and most of the letters of the time are lost."
    " Nobody knows who paid for the works in those years, or what became of the papers that were kept there."
    " Difference Engine Works created Brass Gears. Howard Aiken founded Harvard Computation Laboratory."
)


class Setup:
    """A runner whose jobs read through the double."""

    def __init__(
        self, database: Database, settings: Settings, double: ModelDouble, *, one_thing: bool = False
    ) -> None:
        client = ModelClient(
            api_key="unused", base_url=double.base_url, model="double", prices=PRICES, parallel=1, attempts=1
        )
        self.extractors = Extractors(database, client, call_size=CallSize(one_thing=one_thing))
        self.runner = Runner(
            under(database, settings),
            settings,
            {IngestDocuments.kind: partial(ingest_documents, extractors=self.extractors)},
        )
        self.double = double

    def calls(self) -> int:
        """Chat calls that the double has received."""
        return len(self.double.calls)


@pytest.fixture
def setup(database: Database, settings: Settings, double: ModelDouble) -> Iterator[Setup]:
    made = Setup(database, settings, double)
    yield made
    made.extractors.close()


def leave_claims_unchecked(database: Database, home: Home) -> None:
    """Foresee no check of claims: the double is not able to check them."""
    with database.open_tenant(home.tenant_id) as tenant:
        spaces.update_space_row(
            tenant, home.space_id, actor="test", setting_changes={"claim_check": ClaimCheck.OFF}
        )


def read_job(database: Database, home: Home, job_id: JobId | None) -> Job:
    assert job_id is not None
    with database.open_space(home.tenant_id, home.space_id) as space:
        return queue.get_job(space, job_id)


def set_budget(database: Database, tenant_id: TenantId, usd: float | None) -> int:
    with database.open_platform() as platform:
        budgets.set_budget_and_unpark_jobs(platform, tenant_id, usd, actor="test")
        return queue.unpark_jobs_of_tenant_and_count(platform, tenant_id, code=BudgetExhausted.code)


def test_a_job_reads_through_the_model_and_says_what_it_cost(
    database: Database, home: Home, setup: Setup
) -> None:
    _, job_id = submit(database, home, *corpus()[:6])
    assert setup.runner.drain() == 1
    job = read_job(database, home, job_id)
    assert (job.state, job.counts["documents"]) == ("done", 6)
    assert job.prompt_tokens > 0
    assert job.cost_usd == Decimal(job.prompt_tokens + job.completion_tokens) / 1_000_000
    with database.open_space(home.tenant_id, home.space_id) as space:
        assert space.connection.execute("SELECT count(*) FROM inspect_ungrounded_edges").fetchone() == (0,)
        ledger = space.connection.execute(
            "SELECT sum(cost_usd), count(*) FROM model_call WHERE NOT cached AND job_id = %s", [job_id]
        ).fetchone()
    assert ledger == (job.cost_usd, setup.calls())
    assert len(picture(database, home)["edges"]) > 50


def test_a_budget_that_ends_in_the_middle_parks_the_job_and_a_top_up_resumes_it_without_paying_again(
    database: Database, home: Home, twin: Home, setup: Setup
) -> None:
    """Fault 23: parked, its attempt uncounted; what was paid is used; the graph equals the undisturbed
    one.
    """
    submit(database, twin, *corpus()[:6])
    setup.runner.drain()
    undisturbed, expected = setup.calls(), picture(database, twin)
    cost = read_cost(database, twin)
    set_budget(database, home.tenant_id, float(cost) / 2)
    _, job_id = submit(database, home, *corpus()[:6])
    setup.runner.drain()
    job = read_job(database, home, job_id)
    assert (job.state, job.stage, job.error_code) == ("queued", "parked", "budget_exhausted")
    assert (job.attempt, job.failures, job.crash_count) == (0, 0, 0)
    assert 0 < read_cost(database, home) <= float(cost) / 2
    paid = setup.calls() - undisturbed
    assert 0 < paid < undisturbed
    assert setup.runner.drain() == 0, "not before its time"
    assert set_budget(database, home.tenant_id, 100.0) == 1
    setup.runner.drain()
    assert read_job(database, home, job_id).state == "done"
    assert setup.calls() == 2 * undisturbed
    assert picture(database, home) == expected


def read_cost(database: Database, home: Home) -> float:
    with database.open_tenant(home.tenant_id) as tenant:
        return float(sum(row.cost_usd for row in tenants.list_daily_usage(tenant)))


def test_a_model_that_is_down_parks_the_job_and_it_goes_on_when_it_is_back(
    database: Database, settings: Settings, home: Home
) -> None:
    """Fault 14: no attempt is burned."""
    with ModelDouble(RulesAnswerer()) as double:
        setup = Setup(database, settings, double)
        _, job_id = submit(database, home, *corpus()[:2])
        double.faults.add(Fault(Mode.SERVER_ERROR))
        states = set()
        for _ in range(8):
            setup.runner.run_next_job()
            job = read_job(database, home, job_id)
            states.add((job.state, job.stage))
            with database.open_platform() as platform:
                platform.connection.execute("UPDATE job SET run_after = now()")
        assert ("queued", "parked") in states
        assert job.state == "queued"
        double.faults.clear()
        setup.extractors.close()
        again = Setup(database, settings, double)
        assert again.runner.drain() == 1
        again.extractors.close()
    assert read_job(database, home, job_id).state == "done"


def test_an_estimate_of_one_thing_a_call_foresees_a_call_for_each_name(
    database: Database, settings: Settings, home: Home, double: ModelDouble
) -> None:
    leave_claims_unchecked(database, home)
    setup = Setup(database, settings, double, one_thing=True)
    told = {"openai_base_url": double.base_url, "llm_model": "double", "llm_one_thing": True}
    where = (home.tenant_id, home.space_id)
    submissions = [text(ROSTER)]
    expected = estimate_ingest(
        database, where, submissions, settings.model_copy(update=told), InProcessSandbox()
    )
    _, job_id = submit(database, home, *submissions)
    setup.runner.drain()
    setup.extractors.close()
    assert expected.chunks == 1
    # One question about a doubtful name is foreseen, and none asked.
    assert expected.calls == pytest.approx(setup.calls() + 1, abs=2)
    assert expected.prompt_tokens == pytest.approx(read_job(database, home, job_id).prompt_tokens, rel=0.25)


def test_two_tenants_never_share_an_answer(database: Database, home: Home, twin: Home, setup: Setup) -> None:
    """Rule I5: a shared cache would tell one tenant what another has."""
    submit(database, home, *corpus()[:2])
    setup.runner.drain()
    first = setup.calls()
    submit(database, twin, *corpus()[:2])
    setup.runner.drain()
    assert setup.calls() == 2 * first


def test_an_estimate_calls_nothing_and_comes_near_the_bill(
    database: Database, settings: Settings, home: Home, setup: Setup
) -> None:
    """Issue 3, item 5: chunks, calls, tokens and cost before a call is made."""
    leave_claims_unchecked(database, home)
    priced = settings.model_copy(
        update={"openai_base_url": setup.double.base_url, "llm_model": "double", "llm_prices": PRICES}
    )
    submissions = corpus()[:8]
    where = (home.tenant_id, home.space_id)
    expected = estimate_ingest(database, where, submissions, priced, InProcessSandbox())
    assert setup.calls() == 0
    _, job_id = submit(database, home, *submissions)
    setup.runner.drain()
    job = read_job(database, home, job_id)
    assert expected.chunks == job.counts["chunks"]
    with database.open_space(home.tenant_id, home.space_id) as space:
        # Which names will be doubtful is not known before they are read: one call about them is foreseen.
        ((about_names,),) = space.connection.execute(
            "SELECT count(*) FROM model_call WHERE knowledge_space_id = %s AND purpose = 'same_entity'"
            " AND NOT cached",
            [home.space_id],
        ).fetchall()
    assert about_names <= 1
    # The names that pass 2 lists are not known either, and fill its calls a little faster.
    assert expected.calls == pytest.approx(setup.calls() - about_names + 1, abs=1)
    assert expected.prompt_tokens == pytest.approx(job.prompt_tokens, rel=0.25)
    assert expected.cost_usd is not None
    assert float(expected.cost_usd) == pytest.approx(float(job.cost_usd), rel=0.5)
    again = estimate_ingest(database, where, submissions, priced, InProcessSandbox())
    changed = [submissions[0].__class__(submissions[0].raw + b"\n\nOne more.", submissions[0].format, "x")]
    more = estimate_ingest(database, where, changed, priced, InProcessSandbox())
    assert (again.unchanged, again.calls, again.cost_usd) == (8, 0, Decimal(0))
    assert 0 < more.calls <= 3
    assert more.known_chunks > 0
