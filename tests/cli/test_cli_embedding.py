"""`citegraph space reembed`: what it would take, the job, and that there may be nothing to do."""

from collections.abc import Iterator

import pytest

from app.db.database import Database
from app.ids import JobId
from app.ingest.model_double_answers import RulesAnswerer
from app.llm.testing import ModelDouble
from app.settings import Settings
from tests.cli.conftest import Call, read_json
from tests.conftest import Home
from tests.support.embeddings import HASHED, LONGER, OTHER, Changing


@pytest.fixture
def double(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelDouble]:
    with ModelDouble(RulesAnswerer()) as running:
        monkeypatch.setenv("OPENAI_BASE_URL", running.base_url)
        monkeypatch.setenv("CITEGRAPH_EMBEDDING_MODELS", f'{{"{OTHER}": {LONGER}}}')
        yield running


def test_a_dry_run_tells_the_cost_and_changes_nothing(
    citegraph: Call, filled: tuple[Home, Home], double: ModelDouble, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CITEGRAPH_LLM_PRICES", f'{{"{OTHER}": [1000, 0]}}')
    asked = ("space", "reembed", "library", "--model", OTHER, "--dimensions", LONGER, "--dry-run")
    plan = read_json(citegraph(*map(str, asked), "--json"))
    assert (plan["from_model"], plan["model"], plan["dimensions"]) == (HASHED, OTHER, LONGER)
    assert plan["cost_usd"] == pytest.approx(plan["tokens"] / 1_000)
    assert plan["tokens"] > 0
    assert "cost_usd" in citegraph(*map(str, asked)).stdout
    assert double.calls == []
    kinds = {job["kind"] for job in read_json(citegraph("jobs", "list", "--space", "library", "--json"))}
    assert kinds
    assert "embedding.change" not in kinds


def test_the_change_is_a_job_of_this_space_alone(
    citegraph: Call, database: Database, settings: Settings, filled: tuple[Home, Home], double: ModelDouble
) -> None:
    a, b = filled
    asked = ("space", "reembed", "library", "--model", OTHER, "--dimensions", str(LONGER))
    job = read_json(citegraph(*asked, "--json"))
    assert (job["kind"], job["state"]) == ("embedding.change", "queued")
    assert citegraph(*asked).stdout == f"Job {job['id']}\n"
    changing, other = (Changing(database, settings, home, double.base_url) for home in (a, b))
    changing.runner().drain()
    assert changing.job(JobId(job["id"])).state == "done"
    assert read_json(citegraph("space", "show", "library", "--json"))["embedding_model"] == OTHER
    assert other.model() == (HASHED, 256, 0)
    assert set(other.sets()) == {0}
    again = citegraph(*asked)
    assert (again.exit_code, "nothing to do" in again.stdout) == (0, True)
    assert read_json(citegraph(*asked, "--json")) == {"unchanged": True}
    for changed_database in (changing, other):
        changed_database.close()


def test_a_model_that_is_not_offered_is_refused_by_a_list_of_those_that_are(
    citegraph: Call, filled: tuple[Home, Home]
) -> None:
    refused = citegraph("space", "reembed", "library", "--model", "unheard-of", "--dimensions", "8")
    assert refused.exit_code == 1
    assert "Available are: all-minilm-l6-v2-384, hashed-ngrams-256." in " ".join(refused.stderr.split())
    assert "unheard-of" not in refused.stderr
