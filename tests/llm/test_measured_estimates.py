"""An estimate says how many tokens come back from what this model really wrote: here, else in the tenant."""

import re
from decimal import Decimal
from functools import partial

import psycopg
import pytest
from sqlalchemy import URL

from app.db.database import Database
from app.db.engine import convert_to_conninfo
from app.ids import SpaceId
from app.ingest.estimate import Estimate, MeasuredIn, estimate_ingest
from app.ingest.extractor_choice import Extractors
from app.ingest.job import ingest_documents
from app.jobs.kinds import IngestDocuments
from app.llm.call_records import CallRecord
from app.llm.client import ModelClient
from app.llm.model_calls import service as llm
from app.llm.model_calls.asker import MAX_ANSWER_RATIO, CallSize
from app.llm.testing import ModelDouble
from app.sandbox.process_sandbox import InProcessSandbox
from app.settings import Settings
from app.tenancy.spaces import service as spaces
from app.views.documents import EstimateAnswer
from tests.conftest import Home
from tests.graph.test_graph_plans import plan
from tests.llm.test_model_pipeline import PRICES, read_job
from tests.support.citus import PLANS
from tests.support.ingest import corpus, submit
from workers.runner import Runner

PASSES = ("entities", "relations", "claim_check")


def record(database: Database, home: Home, calls: list[CallRecord]) -> None:
    with database.open_space(home.tenant_id, home.space_id) as space:
        llm.store_answers_and_call_records(space, {}, calls, job_id=None)


def calls(
    ratio: float, number: int, *, model: str = "double", tokens: int = 100, outcome: str = "ok"
) -> list[CallRecord]:
    """So many calls of both passes whose answers have this ratio."""
    return [
        CallRecord(purpose, model, 1, int(ratio * tokens), outcome=outcome, passage_tokens=tokens)
        for purpose in PASSES
        for _ in range(number)
    ]


def estimate(
    database: Database,
    settings: Settings,
    home: Home,
    readable_space_ids: frozenset[SpaceId] | None = None,
) -> Estimate:
    priced = settings.model_copy(
        update={"openai_base_url": "http://127.0.0.1:9/v1", "llm_model": "double", "llm_prices": PRICES}
    )
    where = (home.tenant_id, home.space_id)
    return estimate_ingest(
        database,
        where,
        corpus()[8:12],
        priced,
        InProcessSandbox(),
        readable_space_ids=readable_space_ids,
    )


def test_the_range_is_that_of_the_text_between_a_tenth_and_nine_tenths(
    database: Database, settings: Settings, home: Home, twin: Home
) -> None:
    before = estimate(database, settings, home)
    assert (before.measured_in, before.measured_calls) == (MeasuredIn.NOTHING, 0)
    assert (before.completion_tokens_low, before.cost_usd_low) == (None, None)
    assert before.completion_tokens > 2 * MAX_ANSWER_RATIO * before.chunk_tokens - 1
    # Too few, of another model, failed, from before the ledger had passages, of another tenant: none counts.
    record(database, home, calls(0.3, llm.MIN_MEASURED_CALLS - 1))
    record(database, home, calls(9, 30, model="other") + calls(9, 30, outcome="malformed"))
    record(database, home, [CallRecord(purpose, "double", 1, 900) for purpose in PASSES for _ in range(30)])
    record(database, twin, calls(9, 30))
    unmeasured = estimate(database, settings, home)
    assert unmeasured.measured_in == MeasuredIn.NOTHING
    assert unmeasured.completion_tokens == before.completion_tokens
    # One call about much text weighs as much as many about little.
    record(database, home, calls(0.3, 61) + calls(0.5, 1, tokens=1000) + calls(0.9, 10) + calls(4, 9))
    measured = estimate(database, settings, home)
    assert (measured.measured_in, measured.measured_calls) == (MeasuredIn.SPACE, 100)
    assert measured.completion_tokens_low is not None
    assert measured.completion_tokens / measured.completion_tokens_low == pytest.approx(0.9 / 0.3, rel=0.02)
    assert measured.completion_tokens < before.completion_tokens
    assert measured.cost_usd_low is not None
    assert measured.cost_usd is not None
    assert Decimal(0) < measured.cost_usd_low < measured.cost_usd
    assert EstimateAnswer.from_value(measured, refused=[]).cost_usd_low == float(measured.cost_usd_low)


def test_a_new_space_takes_what_the_model_wrote_in_the_tenant(
    database: Database, settings: Settings, home: Home
) -> None:
    record(database, home, calls(0.5, 25))
    with database.open_tenant(home.tenant_id) as tenant:
        made = spaces.create_space(
            tenant, name="new", embedding_model="hash", embedding_dimensions=64, actor="test"
        )
    new = Home(home.tenant_id, SpaceId(made.id))
    assert estimate(database, settings, new).measured_in == MeasuredIn.TENANT
    # A key that is limited to the new space is told nothing of the other one.
    limited = estimate(database, settings, new, readable_space_ids=frozenset({new.space_id}))
    assert (limited.measured_in, limited.measured_calls) == (MeasuredIn.NOTHING, 0)
    record(database, new, calls(0.7, 25))
    assert estimate(database, settings, new).measured_in == MeasuredIn.SPACE


@pytest.mark.soak
def test_what_was_read_says_what_the_next_documents_cost(
    database: Database, settings: Settings, home: Home, double: ModelDouble
) -> None:
    client = ModelClient(
        api_key="unused", base_url=double.base_url, model="double", prices=PRICES, parallel=1, attempts=1
    )
    extractors = Extractors(database, client, call_size=CallSize(2))
    handlers = {IngestDocuments.kind: partial(ingest_documents, extractors=extractors)}
    runner = Runner(database, settings, handlers)
    submit(database, home, *corpus()[:8])
    runner.drain()
    expected = estimate(database, settings, home)
    _, job_id = submit(database, home, *corpus()[8:12])
    runner.drain()
    extractors.close()
    received = read_job(database, home, job_id).completion_tokens
    assert expected.measured_in == MeasuredIn.SPACE
    assert expected.completion_tokens_low is not None
    assert expected.completion_tokens_low <= received <= expected.completion_tokens


@pytest.mark.one_machine(PLANS)
@pytest.mark.new_database("plans depend on the pages that deleted rows leave")
def test_the_newest_calls_are_read_by_their_ids(database: Database, home: Home, privileged_url: URL) -> None:
    with psycopg.connect(convert_to_conninfo(privileged_url), autocommit=True) as admin:
        admin.execute(
            "INSERT INTO model_call (knowledge_space_id, id, purpose, model, completion_tokens, passage_tokens)"  # noqa: E501
            " SELECT %s, gen_random_uuid(), 'entities', 'double', 50, 100 FROM generate_series(1, 30000)",
            [home.space_id],
        )
        admin.execute("ANALYZE model_call")
    parameters = {"model": "'double'", "purposes": "'{entities}'", "newest": "5000"}
    text = plan(database, home, "llm.model_calls.find_answer_ratios", parameters)
    (rows_read,) = re.findall(r"Index Scan Backward using pk_model_call .*rows=([\d.]+) loops=1", text)
    assert float(rows_read) == 5000
    assert "Seq Scan" not in text
