"""The tokens of a month (issue 13.2): counted with calls under way, refused before a model is asked."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime

import pytest

from app.db.database import Database
from app.db.models import Job
from app.errors import QuotaExceeded
from app.ids import JobId
from app.ingest import service as ingest
from app.jobs import queue
from app.llm.client import ModelClient
from app.llm.errors import TokensExhausted
from app.llm.model_calls.asker import estimate_token_bounds
from app.llm.testing import Fault, ModelDouble
from app.llm.testing import Mode as M
from app.tenancy.spaces import service as spaces
from app.tenancy.tenants import budgets, quotas
from app.tenancy.tenants import service as tenants
from app.tenancy.tenants.shapes import TokenAllowance
from tests.conftest import Home
from tests.llm.test_budget_together import Callers, Held, held, reserved, start_callers, stored
from tests.llm.test_model_pipeline import Setup, setup
from tests.support.ingest import corpus, picture, submit
from tests.support.paying_callers import PROMPT, ask, make_client, passage
from tests.workers.conftest import wait_until

__all__ = ["held", "setup", "start_callers"]


def most() -> int:
    """Tokens that a call about one passage takes at most."""
    return sum(estimate_token_bounds(PROMPT, PROMPT.build_messages([passage(0)]), [passage(0)]))


def allow(database: Database, home: Home, limit: int | None) -> None:
    with database.open_platform() as platform:
        quotas.change_quotas_and_unpark_jobs(platform, home.tenant_id, {"tokens": limit}, actor="test")
        queue.unpark_jobs_of_tenant_and_count(platform, home.tenant_id, code=TokensExhausted.code)


def used(database: Database, home: Home) -> TokenAllowance:
    with database.open_tenant(home.tenant_id) as tenant:
        return budgets.read_month_token_allowance(tenant)


def spend(database: Database, home: Home, amount: int) -> None:
    with database.open_space(home.tenant_id, home.space_id) as space:
        tenants.add_to_daily_usage(space, space_id=home.space_id, prompt_tokens=amount)


@pytest.fixture
def client(double: ModelDouble) -> Iterator[ModelClient]:
    made = make_client(double.base_url)
    yield made
    made.close()


@pytest.mark.soak
def test_eight_callers_in_two_processes_pay_three_calls_of_tokens_for_three(
    database: Database,
    home: Home,
    held: tuple[Held, ModelDouble],
    start_callers: Callable[[str, Home], Callers],
) -> None:
    answerer, double = held
    allow(database, home, most() * 3 + most() // 2)
    callers = start_callers(double.base_url, home)
    for numbers in ([1, 2, 3, 4], [5, 6, 7, 8]):
        callers.start(numbers)
    wait_until(lambda: len(callers.lines) + answerer.asked == 8, what="eight callers")
    assert (sorted(callers.lines), answerer.asked) == (["exhausted"] * 5, 3)
    answerer.may.set()
    wait_until(lambda: len(callers.lines) == 8, what="three answers")
    assert callers.lines[5:] == ["paid"] * 3
    assert reserved(database, home) == []
    found = used(database, home)
    assert found.limit is not None
    assert 0 < found.used <= found.limit


def test_what_others_have_in_flight_is_worth_a_short_wait_and_the_month_a_long_one() -> None:
    assert budgets.build_tokens_exhausted_error(10, 80, 20, 100).retry_after == budgets.IN_FLIGHT_WAIT
    assert budgets.build_tokens_exhausted_error(90, 0, 20, 100).retry_after <= budgets.MAX_WAIT
    last = datetime(2026, 12, 31, 23, 59, 30, tzinfo=UTC)
    assert budgets.compute_seconds_to_next_month(last) == 30
    assert budgets.compute_seconds_to_next_month(datetime(2028, 2, 1, tzinfo=UTC)) == 29 * 86_400


def test_the_message_says_what_the_next_call_needs_where_something_is_left() -> None:
    # Requirement 17.4: "40,000 tokens, and 31,647 are used" does not say why a job waits.
    waiting = budgets.build_tokens_exhausted_error(31_647, 0, 9_200, 40_000)
    assert "31,647 are used or in flight, and the next call may use 9,200:" in waiting.message
    used_up = budgets.build_tokens_exhausted_error(40_000, 0, None, 40_000)
    assert "40,000 are used or in flight: wait" in used_up.message


def test_the_last_month_is_not_counted_nor_what_another_tenant_uses(
    database: Database, home: Home, twin: Home, client: ModelClient, double: ModelDouble
) -> None:
    limit = 2 * most()
    spend(database, twin, 10 * limit)
    spend(database, home, limit)
    allow(database, home, limit)
    with pytest.raises(TokensExhausted) as refused:
        ask(client, stored(database, home), home.tenant_id, 1)
    assert (refused.value.quota, refused.value.used, refused.value.limit) == ("tokens", limit, limit)
    assert len(double.calls) == 0
    with database.open_space(home.tenant_id, home.space_id) as space:
        space.connection.execute(
            "UPDATE usage_daily SET day = date_trunc('month', now() AT TIME ZONE 'UTC')::date - 1"
            " WHERE knowledge_space_id = %s",
            [home.space_id],
        )
    ask(client, stored(database, home), home.tenant_id, 1)
    assert len(double.calls) == 1


def test_a_deleted_space_gives_no_tokens_back(database: Database, home: Home) -> None:
    spend(database, home, 500)
    spaces.delete_space(database, home.tenant_id, home.space_id, actor="test")
    assert used(database, home).used == 500


def test_a_limit_below_what_is_used_refuses_and_a_higher_one_lets_on(
    database: Database, home: Home, client: ModelClient, double: ModelDouble
) -> None:
    ask(client, stored(database, home), home.tenant_id, 1)
    spent = used(database, home).used
    assert spent > 1
    allow(database, home, 1)
    with pytest.raises(QuotaExceeded) as refused:
        ask(client, stored(database, home), home.tenant_id, 2)
    assert (refused.value.used, refused.value.limit) == (spent, 1)
    # What the space was answered before is not asked again, and takes nothing.
    ask(client, stored(database, home), home.tenant_id, 1)
    assert (len(double.calls), used(database, home).used) == (1, spent)
    allow(database, home, None)
    ask(client, stored(database, home), home.tenant_id, 2)
    assert len(double.calls) == 2


def test_a_call_that_failed_gives_back_what_was_set_aside(
    database: Database, home: Home, client: ModelClient, double: ModelDouble
) -> None:
    allow(database, home, most() + most() // 2)
    double.faults.add(Fault(M.SERVER_ERROR))
    with pytest.raises(Exception, match="reached"):
        ask(client, stored(database, home), home.tenant_id, 1)
    assert reserved(database, home) == []
    assert used(database, home).used == 0
    double.faults.clear()
    ask(client, stored(database, home), home.tenant_id, 1)


def test_a_model_without_a_price_takes_tokens_too(
    database: Database, home: Home, client: ModelClient, double: ModelDouble
) -> None:
    client._prices = {}
    allow(database, home, most() // 2)
    with pytest.raises(TokensExhausted):
        ask(client, stored(database, home), home.tenant_id, 1)
    assert len(double.calls) == 0


def read_job(database: Database, home: Home, job_id: JobId | None) -> Job:
    assert job_id is not None
    with database.open_space(home.tenant_id, home.space_id) as space:
        return queue.get_job(space, job_id)


def test_tokens_that_end_in_the_middle_park_the_job_and_more_resume_it_without_paying_again(
    database: Database, home: Home, twin: Home, setup: Setup
) -> None:
    submit(database, twin, *corpus()[:6])
    setup.runner.drain()
    undisturbed, expected = setup.calls(), picture(database, twin)
    before = used(database, twin).used
    allow(database, home, before)
    _, job_id = submit(database, home, *corpus()[:6])
    setup.runner.drain()
    job = read_job(database, home, job_id)
    assert (job.state, job.stage, job.error_code) == ("queued", "parked", "quota_exceeded")
    assert job.error_message is not None
    assert "tokens" in job.error_message
    assert (job.attempt, job.failures) == (0, 0)
    found = used(database, home)
    assert found.limit is not None
    assert found.used <= found.limit
    assert 0 < setup.calls() - undisturbed < undisturbed
    allow(database, home, 10 * before)
    setup.runner.drain()
    assert read_job(database, home, job_id).state == "done"
    assert setup.calls() == 2 * undisturbed
    assert picture(database, home) == expected


def test_the_list_of_quotas_has_them(database: Database, home: Home) -> None:
    spend(database, home, 7)
    (found,) = [
        quota for quota in ingest.list_quota_uses(database, home.tenant_id) if quota.quota == "tokens"
    ]
    assert (found.used, found.limit) == (7, None)
    allow(database, home, 1_000)
    (found,) = [
        quota for quota in ingest.list_quota_uses(database, home.tenant_id) if quota.quota == "tokens"
    ]
    assert (found.used, found.limit) == (7, 1_000)
