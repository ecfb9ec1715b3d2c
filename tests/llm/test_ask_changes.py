"""Requirement 10.2 where the space or its budget changes: what goes meanwhile, what is paid, what may not be
paid.
"""

import dataclasses
from decimal import Decimal

import pytest

from app.answers.shapes import ContextFound, FinalAnswer, RemovalReason
from app.db.database import Database
from app.errors import NotFound
from app.llm.client import ModelClient
from app.llm.testing import ModelDouble
from app.settings import Settings
from app.tenancy.spaces import service as spaces
from app.tenancy.tenants import budgets
from app.tenancy.tenants import service as tenants
from tests.conftest import Home
from tests.llm.conftest import MakeClient
from tests.support.questions import PRICES, answer, assert_resolves, events, fill, script


@pytest.fixture
def library(database: Database, settings: Settings, home: Home, twin: Home) -> Home:
    fill(database, settings, home, twin)
    return home


def test_a_chunk_that_goes_while_the_model_writes_is_not_cited(
    database: Database, library: Home, double: ModelDouble, client: ModelClient
) -> None:
    script(double, "Ada Lovelace created Analytical Engine Notes [2]. The works created brass gears [1].")
    stream = events(database, library, client)
    context = next(stream)
    assert isinstance(context, ContextFound)
    assert context.context.sources[0].document_title == "Works"
    with database.open_space(library.tenant_id, library.space_id) as space:
        space.connection.execute(
            "DELETE FROM document WHERE knowledge_space_id = %s AND title = 'Works'", [library.space_id]
        )
    *_, found = stream
    assert isinstance(found, FinalAnswer)
    assert [sentence.citations for sentence in found.sentences] == [(2,), ()]
    assert [(citation.sentence, citation.mark, citation.reason) for citation in found.removed] == [
        (1, "[1]", RemovalReason.GONE)
    ]
    assert_resolves(database, library, found)


def test_tokens_and_cost_are_in_the_answer_the_ledger_and_the_counters(
    database: Database, library: Home, double: ModelDouble, make_client: MakeClient
) -> None:
    found = answer(database, library, make_client(double.base_url, prices=PRICES))
    sent = [call.prompt_tokens for call in double.calls]
    written = [call.completion_tokens for call in double.calls]
    costs = [Decimal(a * 1_000 + b * 2_000) / 1_000_000 for a, b in zip(sent, written, strict=True)]
    assert dataclasses.astuple(found.usage) == (2, sum(sent), sum(written), sum(costs))
    with database.open_space(library.tenant_id, library.space_id) as space:
        ledger = space.connection.execute(
            "SELECT purpose, outcome, cost_usd FROM model_call WHERE knowledge_space_id = %s"
            " ORDER BY purpose",
            [library.space_id],
        ).fetchall()
    assert ledger == [("answer", "ok", costs[0]), ("support", "ok", costs[1])]
    with database.open_tenant(library.tenant_id) as tenant:
        assert sum(usage.model_calls for usage in tenants.list_daily_usage(tenant)) == 2


@pytest.mark.parametrize("budget", [0, 0.000001])
def test_over_the_budget_no_model_is_asked(
    database: Database, library: Home, double: ModelDouble, make_client: MakeClient, budget: float
) -> None:
    with database.open_platform() as platform:
        budgets.set_budget_and_unpark_jobs(platform, library.tenant_id, budget, actor="test")
    found = answer(database, library, make_client(double.base_url, prices=PRICES))
    assert found.warnings == ("The month's budget for models is used up. The answer only quotes.",)
    assert double.calls == []
    assert_resolves(database, library, found)


def test_a_space_that_goes_meanwhile_is_not_found(
    database: Database, library: Home, client: ModelClient
) -> None:
    stream = events(database, library, client)
    next(stream)
    spaces.delete_space(database, library.tenant_id, library.space_id, actor="test")
    with pytest.raises(NotFound):
        list(stream)
