"""The model's own check of its sentences against their quotes: by default, in one call, kept, paid, and never
in the way.
"""

from concurrent.futures import ThreadPoolExecutor
from itertools import islice

import pytest

from app.answers.shapes import FinalAnswer, SentenceWritten
from app.answers.support_by_model import BY_WORDS_WARNING
from app.db.database import Database
from app.llm.client import ModelClient
from app.llm.testing import Fault, ModelDouble
from app.llm.testing import Mode as M
from app.settings import Settings
from app.tenancy.spaces import service as spaces
from app.tenancy.tenants import budgets, quotas
from app.tenancy.tenants import service as tenants
from tests.conftest import Home
from tests.llm.conftest import MakeClient
from tests.support.questions import PRICES, QUESTION, answer, events, fill, script

# By its words the first stands and the second does not; the model says the opposite of both.
TRUE_BY_WORDS = "Difference Engine Works created brass gears [1]."
FALSE_BY_WORDS = "Die Mathematikerin verfasste jene Notizen [1]."
SAID = f"{TRUE_BY_WORDS} {FALSE_BY_WORDS}"
ASKED = '"supported"'


def verdicts(first: bool, second: bool) -> dict[str, object]:
    return {"passages": [{"id": 1, "supported": first}, {"id": 2, "supported": second}]}


@pytest.fixture
def library(database: Database, settings: Settings, home: Home, twin: Home) -> Home:
    fill(database, settings, home, twin)
    return home


def ask_so(
    database: Database, home: Home, client: ModelClient, double: ModelDouble, *, on: bool
) -> FinalAnswer:
    with database.open_tenant(home.tenant_id) as tenant:
        changes = {"verify_sentences": None if on else False}
        spaces.update_space_row(tenant, home.space_id, actor="test", setting_changes=changes)
    script(double, SAID)
    return answer(database, home, client)


def checks(double: ModelDouble) -> int:
    return sum(ASKED in prompt for prompt in double.prompts)


def test_a_space_turns_it_off(
    database: Database, library: Home, double: ModelDouble, client: ModelClient
) -> None:
    found = ask_so(database, library, client, double, on=False)
    assert [sentence.supported for sentence in found.sentences] == [True, False]
    assert checks(double) == 0


def test_the_models_verdicts_replace_those_of_the_words_in_one_call(
    database: Database, library: Home, double: ModelDouble, make_client: MakeClient
) -> None:
    client = make_client(double.base_url, prices=PRICES)
    double.when(lambda prompt: ASKED in prompt, verdicts(False, True))
    found = ask_so(database, library, client, double, on=True)
    assert [sentence.supported for sentence in found.sentences] == [False, True]
    assert found.usage.calls == 2
    assert checks(double) == 1
    assert BY_WORDS_WARNING not in " ".join(found.warnings)
    with database.open_tenant(library.tenant_id) as tenant:
        assert sum(row.model_calls for row in tenants.list_daily_usage(tenant)) == 2
        assert float(sum(row.cost_usd for row in tenants.list_daily_usage(tenant))) == pytest.approx(
            float(found.usage.cost_usd)
        )


def test_a_verdict_is_paid_once(
    database: Database, library: Home, double: ModelDouble, client: ModelClient
) -> None:
    double.when(lambda prompt: ASKED in prompt, verdicts(False, True))
    first = ask_so(database, library, client, double, on=True)
    second = ask_so(database, library, client, double, on=True)
    assert [sentence.supported for sentence in second.sentences] == [
        sentence.supported for sentence in first.sentences
    ]
    assert (first.usage.calls, second.usage.calls) == (2, 1)
    assert checks(double) == 1


@pytest.mark.soak
def test_two_answers_at_one_moment_pay_once_for_a_sentence(
    database: Database, library: Home, double: ModelDouble, make_client: MakeClient
) -> None:
    client = make_client(double.base_url, prices=PRICES)
    double.when(lambda prompt: ASKED in prompt, verdicts(False, True))
    # Two questions, since who asks the same at once gets the other's answer, with its verdicts.
    questions = (QUESTION, "What did Ada Lovelace write?")
    double.when(lambda prompt: ASKED not in prompt and any(asked in prompt for asked in questions), SAID)
    double.latency = 1.0
    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(lambda asked: answer(database, library, client, asked), questions))
    assert [[sentence.supported for sentence in found.sentences] for found in answers] == [[False, True]] * 2
    assert checks(double) == 1
    assert sorted(found.usage.calls for found in answers) == [1, 2]
    with database.open_tenant(library.tenant_id) as tenant:
        assert sum(row.model_calls for row in tenants.list_daily_usage(tenant)) == 3
        assert float(sum(row.cost_usd for row in tenants.list_daily_usage(tenant))) == pytest.approx(
            float(sum(found.usage.cost_usd for found in answers))
        )


def test_an_answer_whose_reader_leaves_before_the_check_is_paid_and_nothing_else(
    database: Database, library: Home, double: ModelDouble, make_client: MakeClient
) -> None:
    client = make_client(double.base_url, prices=PRICES)
    script(double, SAID)
    with database.open_platform() as platform:
        budgets.set_budget_and_unpark_jobs(platform, library.tenant_id, 1_000_000.0, actor="test")
    reading = events(database, library, client)
    *_, last = islice(reading, 3)
    reading.close()
    assert isinstance(last, SentenceWritten)
    assert checks(double) == 0
    with database.open_tenant(library.tenant_id) as tenant:
        assert sum(row.model_calls for row in tenants.list_daily_usage(tenant)) == 1
        (held,) = tenant.connection.execute(
            "SELECT count(*) FROM budget_reservation WHERE tenant_id = %s", [library.tenant_id]
        ).fetchone() or (None,)
    assert held == 0
    found = answer(database, library, client)
    assert found.mode.value == "model"
    assert checks(double) == 1


@pytest.mark.parametrize("fault", [M.SERVER_ERROR, M.CUT_JSON, M.WRONG_SCHEMA])
def test_where_the_check_fails_the_words_decide_and_the_answer_says_so(
    database: Database, library: Home, double: ModelDouble, client: ModelClient, fault: M
) -> None:
    double.faults.add(Fault(fault, containing=ASKED))
    found = ask_so(database, library, client, double, on=True)
    assert [sentence.supported for sentence in found.sentences] == [True, False]
    assert found.mode.value == "model"
    assert any(BY_WORDS_WARNING in warning for warning in found.warnings)


@pytest.mark.parametrize("limit", ["budget", "tokens"])
def test_a_budget_that_ends_with_the_answer_leaves_the_words(
    database: Database, library: Home, double: ModelDouble, make_client: MakeClient, limit: str
) -> None:
    client = make_client(double.base_url, prices=PRICES)
    script(double, SAID)
    for event in events(database, library, client):
        if isinstance(event, SentenceWritten):
            with database.open_platform() as platform:
                if limit == "budget":
                    budgets.set_budget_and_unpark_jobs(platform, library.tenant_id, 0.000001, actor="test")
                else:
                    quotas.change_quotas_and_unpark_jobs(
                        platform, library.tenant_id, {"tokens": 1}, actor="test"
                    )
        found = event
    assert isinstance(found, FinalAnswer)
    assert (found.mode.value, found.complete) == ("model", True)
    assert [sentence.supported for sentence in found.sentences] == [True, False]
    (said,) = [warning for warning in found.warnings if BY_WORDS_WARNING in warning]
    assert said.startswith({"budget": "The month's budget", "tokens": "Models may use 1 tokens"}[limit])
    assert checks(double) == 0


def test_a_space_asks_where_its_twin_does_not(
    database: Database,
    library: Home,
    twin: Home,
    double: ModelDouble,
    client: ModelClient,
) -> None:
    ask_so(database, library, client, double, on=False)
    script(double, SAID)
    answer(database, twin, client)
    assert checks(double) == 1
