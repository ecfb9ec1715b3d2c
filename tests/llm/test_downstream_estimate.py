"""What an estimate foresees of reports and summaries: never less than what a run through the model then
costs.
"""

import json
from collections.abc import Sequence
from decimal import Decimal
from functools import partial

import pytest

from app.db.database import Database
from app.derived.communities.job import detect_communities_and_write_reports
from app.derived.communities.scheduling import enqueue_detection_or_run_waiting_now
from app.derived.summaries.job import evaluate_changed_nodes_and_save_summaries
from app.derived.summaries.scheduling import enqueue_or_hasten_gate_evaluation_of_all_nodes
from app.documents.shapes import Submission
from app.ingest.estimate import Estimate, estimate_ingest
from app.ingest.extractor_choice import Extractors
from app.ingest.job import ingest_documents
from app.jobs.kinds import DetectCommunities, IngestDocuments, RefreshSummaries
from app.llm.client import ModelClient
from app.sandbox.process_sandbox import InProcessSandbox
from app.settings import Settings
from app.space_settings import SpaceSettings
from app.tenancy.spaces import service as spaces
from tests.conftest import Home, under
from tests.support.ingest import corpus, submit
from tests.support.summaries import rows
from workers.runner import Runner

PAID = (
    "SELECT count(*)::int, coalesce(sum(prompt_tokens), 0)::int, coalesce(sum(completion_tokens), 0)::int"
    " FROM model_call WHERE knowledge_space_id = %s AND NOT cached AND purpose IN ('summary',"
    " 'community_report')"
)


@pytest.fixture
def priced(settings: Settings) -> Settings:
    """Settings of an installation with a model, which costs a dollar a million tokens sent and two
    received.
    """
    return settings.model_copy(
        update={
            "openai_base_url": "http://unused",
            "llm_model": "double",
            "llm_prices": {"double": (1.0, 2.0)},
        }
    )


def foreseen(database: Database, priced: Settings, home: Home, given: Sequence[Submission]) -> Estimate:
    return estimate_ingest(
        under(database, priced), (home.tenant_id, home.space_id), given, priced, InProcessSandbox()
    )


def read_and_write(
    database: Database, settings: Settings, home: Home, client: ModelClient, given: Sequence[Submission]
) -> list[int]:
    """Take the documents in through the double, then reports and summaries; what was paid for these so
    far.
    """
    submit(database, home, *given)
    handlers = {IngestDocuments.kind: partial(ingest_documents, extractors=Extractors(database, client))}
    Runner(under(database, settings), settings, handlers).drain()
    with database.open_space(home.tenant_id, home.space_id) as space:
        enqueue_detection_or_run_waiting_now(space)
        enqueue_or_hasten_gate_evaluation_of_all_nodes(space)
    handlers = {
        DetectCommunities.kind: partial(detect_communities_and_write_reports, client=client),
        RefreshSummaries.kind: partial(evaluate_changed_nodes_and_save_summaries, client=client),
    }
    assert Runner(under(database, settings), settings, handlers).drain() == 2
    ((calls, sent, received),) = rows(database, home, PAID)
    return [calls, sent, received]


def bound(found: Estimate) -> list[int]:
    return [found.later_calls, found.later_prompt_tokens, found.later_completion_tokens]


def test_reports_and_summaries_cost_at_most_what_was_foreseen(
    database: Database, settings: Settings, priced: Settings, home: Home, client: ModelClient
) -> None:
    """For a new space, and for one that stands; and not a hundred times as much, which would help nobody."""
    before = [0, 0, 0]
    for given in (corpus()[:6], corpus()[6:12]):
        expected = foreseen(database, priced, home, given)
        after = read_and_write(database, settings, home, client, given)
        paid = [now - then for now, then in zip(after, before, strict=True)]
        assert all(paid)
        assert all(cost <= most <= 20 * cost for cost, most in zip(paid, bound(expected), strict=True)), paid
        sent, received = expected.later_prompt_tokens, expected.later_completion_tokens
        assert expected.later_cost_usd is not None
        assert float(expected.later_cost_usd) == pytest.approx((sent + 2 * received) / 1e6)
        before = after
    assert bound(foreseen(database, priced, home, corpus()[:12])) == [0, 0, 0]


def test_only_what_the_space_and_the_platform_want_is_foreseen(
    database: Database, priced: Settings, home: Home
) -> None:
    both = bound(foreseen(database, priced, home, corpus()[:2]))
    reports, texts = (
        bound(foreseen(database, priced.model_copy(update={off: False}), home, corpus()[:2]))
        for off in ("summaries", "communities")
    )
    assert [one + other for one, other in zip(reports, texts, strict=True)] == both
    with database.open_tenant(home.tenant_id) as tenant:
        wanted = SpaceSettings(summaries=False, communities=False)
        spaces.update_space_row(tenant, home.space_id, actor="test", settings=wanted)
    assert bound(foreseen(database, priced, home, corpus()[:2])) == [0, 0, 0]


def test_without_a_model_nothing_is_foreseen(database: Database, settings: Settings, home: Home) -> None:
    assert bound(foreseen(database, settings, home, corpus()[:2])) == [0, 0, 0]


def test_what_others_extracted_is_read_for_nothing_but_written_about(
    database: Database, priced: Settings, home: Home
) -> None:
    told = {"chunks": [{"text": "Acme owns Base.", "triples": [["Acme", "owns", "Base"]]}]}
    given = Submission(json.dumps(told).encode(), "extraction", "given")
    found = foreseen(database, priced, home, [given])
    assert (found.unreadable, found.calls, found.prompt_tokens, found.cost_usd) == (0, 0, 0, Decimal(0))
    assert all(bound(found))
