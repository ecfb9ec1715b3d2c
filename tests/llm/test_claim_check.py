"""The second question about claims: paid once, contained, and never silently answered with yes."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from decimal import Decimal
from functools import partial
from typing import Any

import pytest

from app.db.database import Database
from app.db.models import Job
from app.extraction.llm.control_claims import CONTROL_CLAIMS, CONTROL_TEXT
from app.ids import JobId
from app.ingest.estimate import Estimate, estimate_ingest
from app.ingest.extractor_choice import Extractors
from app.ingest.job import ingest_documents
from app.ingest.model_double_answers import RulesAnswerer
from app.ingest.service import retry_job
from app.jobs import queue
from app.jobs.kinds import IngestDocuments
from app.llm.client import ModelClient
from app.llm.errors import BudgetExhausted
from app.llm.prompts import claim_check
from app.llm.prompts.claim_check import parse_claims
from app.llm.prompts.fence import parse_fenced_passages
from app.llm.testing import Fault, ModelDouble
from app.llm.testing import Mode as M
from app.sandbox.process_sandbox import InProcessSandbox
from app.settings import Settings
from app.space_settings import ClaimCheck
from app.tenancy.spaces import service as spaces
from app.tenancy.tenants import budgets
from tests.conftest import Home, under
from tests.support.ingest import corpus, picture, submit
from tests.support.trials import begin, report, trial_runner
from workers.runner import Runner

PRICES = {"double": (1.0, 1.0), "second": (10.0, 10.0)}
CHECK = "an earlier reading took"
"""Words of the prompt, by which a fault concerns this question alone."""
MakeRunner = Callable[..., Runner]


@pytest.fixture
def make_runner(database: Database, settings: Settings, double: ModelDouble) -> Iterator[MakeRunner]:
    """Runners whose jobs read through the double."""
    made = []

    def make() -> Runner:
        client = ModelClient(
            api_key="unused", base_url=double.base_url, model="double", prices=PRICES, parallel=1, attempts=1
        )
        extractors = Extractors(database, client, offered_models=["second"])
        made.append(extractors)
        handlers = {IngestDocuments.kind: partial(ingest_documents, extractors=extractors)}
        return Runner(under(database, settings), settings, handlers)

    yield make
    for extractors in made:
        extractors.close()


def want(database: Database, home: Home, **changes: object) -> None:
    with database.open_tenant(home.tenant_id) as tenant:
        spaces.update_space_row(tenant, home.space_id, actor="test", setting_changes=changes)


def read_job(database: Database, home: Home, job_id: JobId | None) -> Job:
    assert job_id is not None
    with database.open_space(home.tenant_id, home.space_id) as space:
        return queue.get_job(space, job_id)


def error_codes(database: Database, home: Home, job_id: JobId | None) -> set[str]:
    assert job_id is not None
    with database.open_space(home.tenant_id, home.space_id) as space:
        return {error.code for error in queue.list_job_errors(space, job_id)}


def calls(database: Database, home: Home) -> dict[str, list[str]]:
    """The models of the calls by purpose, as the ledger has them."""
    found: dict[str, list[str]] = {}
    with database.open_space(home.tenant_id, home.space_id) as space:
        for purpose, model in space.connection.execute(
            "SELECT purpose, model FROM model_call WHERE knowledge_space_id = %s AND NOT cached",
            [space.space_id],
        ):
            found.setdefault(purpose, []).append(model)
    return found


def test_claims_are_asked_about_again_only_where_the_space_wants_it(
    database: Database, home: Home, twin: Home, make_runner: MakeRunner
) -> None:
    """Requirement 5.2: the same claims are in the graph where all are confirmed."""
    want(database, home, claim_check=ClaimCheck.ALL)
    want(database, twin, claim_check=ClaimCheck.OFF)
    for where in (home, twin):
        submit(database, where, *corpus()[:6])
        make_runner().drain()
    assert "claim_check" not in calls(database, twin)
    assert len(calls(database, home)["claim_check"]) >= 1
    assert picture(database, home)["edges"] == picture(database, twin)["edges"]


def judging(prompt: str) -> dict[str, Any]:
    """The right verdicts on the control claims, and that all claims of documents are stated but the first."""
    known = {claim.sentence: claim.verdict for claim in CONTROL_CLAIMS}
    return {
        "passages": [
            {
                "id": number,
                "claims": [
                    {
                        "claim": position,
                        "words": "",
                        "verdict": known.get(claim, "not stated" if position == 1 else "stated"),
                    }
                    for position, claim in enumerate(parse_claims(passage), 1)
                ],
            }
            for number, passage in enumerate(parse_fenced_passages(prompt), 1)
        ]
    }


class Judge(RulesAnswerer):
    """The model double, but it judges the control claims rightly and refuses the first claim of each text."""

    def answer(self, messages: Sequence[Mapping[str, str]]) -> Mapping[str, Any] | str | None:
        if messages[0]["content"] == claim_check.PROMPT.system:
            return judging("".join(message["content"] for message in messages[1:]))
        return super().answer(messages)


def test_a_model_that_judges_control_claims_rightly_checks_claims_by_default(
    database: Database, home: Home, twin: Home, settings: Settings
) -> None:
    """Requirement 5.2; the space pays for the control claims once."""
    want(database, twin, claim_check=ClaimCheck.OFF)
    with ModelDouble(Judge()) as judge:
        client = ModelClient(
            api_key="unused", base_url=judge.base_url, model="double", prices=PRICES, parallel=1, attempts=1
        )
        with closing(Extractors(database, client)) as extractors:
            handlers = {IngestDocuments.kind: partial(ingest_documents, extractors=extractors)}
            runner = Runner(under(database, settings), settings, handlers)
            for where in (home, twin):
                _, job_id = submit(database, where, *corpus()[:3])
                runner.drain()
                if where is home:
                    counts = read_job(database, home, job_id).counts
            submit(database, home, *corpus()[3:5])
            runner.drain()
        control_questions = [prompt for prompt in judge.prompts if CONTROL_TEXT in prompt]
    assert len(control_questions) == 1
    assert counts["dropped_not_confirmed"] > 0
    assert "claims_not_checked" not in counts


@pytest.mark.parametrize("mode", [None, M.CUT_JSON, M.SERVER_ERROR, M.REFUSED])
def test_a_model_that_cannot_judge_control_claims_loses_none_by_default(
    mode: M | None,
    database: Database,
    home: Home,
    twin: Home,
    double: ModelDouble,
    make_runner: MakeRunner,
) -> None:
    """Requirement 5.2: its claims are believed as without the check, and counted; the job does not wait."""
    want(database, twin, claim_check=ClaimCheck.OFF)
    submit(database, twin, *corpus()[:3])
    make_runner().drain()
    if mode is not None:
        double.faults.add(Fault(mode, containing=CHECK))
    _, job_id = submit(database, home, *corpus()[:3])
    make_runner().drain()
    job = read_job(database, home, job_id)
    assert (job.state, job.error_code) == ("done", None)
    assert job.counts["claims_not_checked"] == len(picture(database, home)["edges"]) > 5
    assert picture(database, home)["edges"] == picture(database, twin)["edges"]
    asked = [prompt for prompt in double.prompts if CHECK in prompt]
    assert 1 <= len(asked) <= 2
    assert all(CONTROL_TEXT in prompt for prompt in asked)


@pytest.mark.parametrize("mode", [M.CUT_JSON, M.WRONG_SCHEMA])
def test_an_answer_that_cannot_be_read_refuses_the_claims_and_keeps_the_document(
    mode: M, database: Database, home: Home, twin: Home, double: ModelDouble, make_runner: MakeRunner
) -> None:
    """Fault 13: nothing is believed unasked; a retry pays for this question alone."""
    want(database, home, claim_check=ClaimCheck.ALL)
    submit(database, twin, *corpus()[:3])
    make_runner().drain()
    double.faults.add(Fault(mode, containing=CHECK))
    _, job_id = submit(database, home, *corpus()[:3])
    make_runner().drain()
    job = read_job(database, home, job_id)
    assert (job.state, job.counts["documents"]) == ("done", 3)
    assert job.counts["dropped_unchecked"] > 5
    assert job.counts["failed_chunks"] > 0
    assert error_codes(database, home, job_id) == {"malformed_answer"}
    assert picture(database, home)["edges"] == []
    double.faults.clear()
    before = {purpose: len(models) for purpose, models in calls(database, home).items()}
    with database.open_space(home.tenant_id, home.space_id) as space:
        retry_job(space, JobId(job.id))
    make_runner().drain()
    after = {purpose: len(models) for purpose, models in calls(database, home).items()}
    assert picture(database, home)["edges"] == picture(database, twin)["edges"]
    assert {purpose for purpose in after if after[purpose] != before[purpose]} == {"claim_check"}


@pytest.mark.parametrize("mode", [M.SERVER_ERROR, M.RATE_LIMITED, M.HTML, M.CHOICES_NULL])
def test_a_server_that_fails_parks_the_job_and_nothing_is_paid_twice(
    mode: M, database: Database, home: Home, twin: Home, double: ModelDouble, make_runner: MakeRunner
) -> None:
    """Fault 14: the job waits as for any other call."""
    want(database, home, claim_check=ClaimCheck.ALL)
    submit(database, twin, *corpus()[:3])
    make_runner().drain()
    double.faults.add(Fault(mode, containing=CHECK))
    _, job_id = submit(database, home, *corpus()[:3])
    make_runner().run_next_job()
    assert read_job(database, home, job_id).state == "queued"
    assert picture(database, home)["edges"] == []
    asked = {name: len(calls(database, home)[name]) for name in ("entities", "relations")}
    double.faults.clear()
    with database.open_platform() as platform:
        platform.connection.execute("UPDATE job SET run_after = now()")
    make_runner().drain()
    assert read_job(database, home, job_id).state == "done"
    assert {name: len(calls(database, home)[name]) for name in asked} == asked
    assert picture(database, home)["edges"] == picture(database, twin)["edges"]


def test_a_verdict_that_is_left_out_is_asked_for_again_and_then_refuses_its_claim(
    database: Database, home: Home, double: ModelDouble, make_runner: MakeRunner
) -> None:
    want(database, home, claim_check=ClaimCheck.ALL)
    entries = [{"claim": number, "words": "", "verdict": "stated"} for number in range(2, 60)]
    incomplete = {"passages": [{"id": number, "claims": entries} for number in range(1, 17)]}
    double.when(lambda prompt: CHECK in prompt, incomplete)
    _, job_id = submit(database, home, *corpus()[:3])
    make_runner().drain()
    job = read_job(database, home, job_id)
    asked = [prompt for prompt in double.prompts if CHECK in prompt]
    assert any("claims 1 have no verdict." in prompt for prompt in asked)
    assert job.counts["dropped_unchecked"] > 0
    assert len(picture(database, home)["edges"]) > 5
    # Chunks of which no claim was judged are set aside; a retry asks about these again.
    assert job.counts["dropped_unchecked"] >= job.counts.get("failed_chunks", 0)


def test_another_model_judges_where_the_space_names_one(
    database: Database, home: Home, double: ModelDouble, make_runner: MakeRunner
) -> None:
    want(database, home, claim_check=ClaimCheck.ALL, claim_check_model="second")
    _, job_id = submit(database, home, *corpus()[:3])
    make_runner().drain()
    models = calls(database, home)
    assert (set(models["relations"]), set(models["claim_check"])) == ({"double"}, {"second"})
    job = read_job(database, home, job_id)
    assert job.state == "done"
    assert job.cost_usd > Decimal(job.prompt_tokens + job.completion_tokens) / 1_000_000
    want(database, home, claim_check_model="third")
    _, job_id = submit(database, home, *corpus()[3:4])
    make_runner().drain()
    refused = read_job(database, home, job_id)
    assert (refused.state, refused.error_code) == ("failed", "model_not_offered")


def test_the_budget_pays_for_the_check_too(
    database: Database, home: Home, double: ModelDouble, make_runner: MakeRunner
) -> None:
    """Fault 23: parked with the passes paid; a top-up pays for the rest alone."""
    want(database, home, claim_check=ClaimCheck.ALL)
    with database.open_platform() as platform:
        budgets.set_budget_and_unpark_jobs(platform, home.tenant_id, 0.03, actor="test")
    _, job_id = submit(database, home, *corpus()[:3])
    make_runner().drain()
    parked = read_job(database, home, job_id)
    assert (parked.stage, parked.error_code) == ("parked", BudgetExhausted.code)
    assert "relations" in calls(database, home)
    before = len(calls(database, home)["relations"])
    with database.open_platform() as platform:
        budgets.set_budget_and_unpark_jobs(platform, home.tenant_id, 100.0, actor="test")
        queue.unpark_jobs_of_tenant_and_count(platform, home.tenant_id, code=BudgetExhausted.code)
    make_runner().drain()
    assert read_job(database, home, job_id).state == "done"
    assert len(calls(database, home)["relations"]) == before
    assert len(calls(database, home)["claim_check"]) >= 1


def estimate(database: Database, settings: Settings, home: Home, double: ModelDouble) -> Estimate:
    priced = settings.model_copy(
        update={"openai_base_url": double.base_url, "llm_model": "double", "llm_prices": PRICES}
    )
    where = (home.tenant_id, home.space_id)
    return estimate_ingest(database, where, corpus()[:8], priced, InProcessSandbox())


def test_an_estimate_includes_the_check_at_the_price_of_its_model(
    database: Database, settings: Settings, home: Home, double: ModelDouble, make_runner: MakeRunner
) -> None:
    by_default = estimate(database, settings, home, double)
    want(database, home, claim_check=ClaimCheck.OFF)
    without = estimate(database, settings, home, double)
    want(database, home, claim_check=ClaimCheck.ENDINGS)
    endings = estimate(database, settings, home, double)
    want(database, home, claim_check=ClaimCheck.ALL)
    every = estimate(database, settings, home, double)
    assert by_default.calls == every.calls
    assert without.calls < endings.calls < every.calls
    assert without.prompt_tokens < endings.prompt_tokens < every.prompt_tokens
    want(database, home, claim_check_model="second")
    dearer = estimate(database, settings, home, double)
    assert dearer.calls == every.calls
    assert dearer.cost_usd is not None
    assert every.cost_usd is not None
    assert dearer.cost_usd > every.cost_usd
    want(database, home, claim_check_model="unpriced")
    assert estimate(database, settings, home, double).unpriced == ("unpriced",)
    assert estimate(database, settings, home, double).cost_usd is None
    want(database, home, claim_check_model=None)
    _, job_id = submit(database, home, *corpus()[:8])
    make_runner().drain()
    bill = read_job(database, home, job_id).prompt_tokens
    assert bill < every.prompt_tokens < 1.5 * bill


def test_an_estimate_foresees_no_check_by_a_model_that_judged_control_claims_wrongly(
    database: Database, settings: Settings, home: Home, double: ModelDouble, make_runner: MakeRunner
) -> None:
    submit(database, home, *corpus()[8:10])
    make_runner().drain()
    by_default = estimate(database, settings, home, double)
    want(database, home, claim_check=ClaimCheck.OFF)
    assert by_default.calls == estimate(database, settings, home, double).calls


def test_a_trial_shows_what_a_check_would_refuse(
    database: Database, settings: Settings, home: Home, double: ModelDouble
) -> None:
    client = ModelClient(
        api_key="unused", base_url=double.base_url, model="double", prices=PRICES, parallel=1, attempts=1
    )
    with closing(Extractors(database, client)) as extractors:
        runner = trial_runner(database, settings, extractors)
        submit(database, home, *corpus()[:3])
        runner.drain()
        edges = len(picture(database, home)["edges"])
        entries = [
            {"claim": number, "words": "", "verdict": "not stated" if number == 1 else "stated"}
            for number in range(1, 60)
        ]
        judged = {"passages": [{"id": number, "claims": entries} for number in range(1, 17)]}
        double.when(lambda prompt: CHECK in prompt, judged)
        trial = begin(database, settings, home, changes={"claim_check": "all"}, chunks=500)
        runner.drain()
        shown = report(database, home, trial)
    assert shown.comparison.added == []
    assert 0 < len(shown.comparison.lost) < shown.comparison.same
    assert len(picture(database, home)["edges"]) == edges, "a trial changes nothing"
