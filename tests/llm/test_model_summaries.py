"""Summaries by a model: cited, kept, paid once, and by rules where the model fails (requirement 6.1)."""

from functools import partial

import pytest

from app.db.database import Database
from app.derived.communities.job import detect_communities_and_write_reports
from app.derived.communities.scheduling import enqueue_detection_or_run_waiting_now
from app.ingest.extractor_choice import Extractors
from app.ingest.job import ingest_documents
from app.jobs import queue
from app.jobs.kinds import DetectCommunities, IngestDocuments
from app.llm.client import ModelClient
from app.llm.embedding.embedders import Embedders
from app.llm.testing import Fault, ModelDouble
from app.llm.testing import Mode as M
from app.settings import Settings
from app.space_settings import SpaceSettings
from app.tenancy.spaces import service as spaces
from tests.conftest import Home, under
from tests.llm.conftest import MakeClient
from tests.support.ingest import submit, text
from tests.support.summaries import decided, refresh_now, report_of, rows, summary_of, take_in
from workers.runner import Runner

FACTS = "\n".join(
    f"[Acme|Organization] {verb} [{thing}|Product]."
    for verb, thing in (("owns", "Rocket"), ("created", "Base"), ("provides", "Fuel"), ("uses", "Steel"))
)
MORE = "[Acme|Organization] replaces [Zeppelin|Product]."
LEDGER = (
    "SELECT purpose, cached, count(*)::int FROM model_call WHERE knowledge_space_id = %s"
    " GROUP BY 1, 2 ORDER BY 1, 2"
)


def calls(double: ModelDouble) -> int:
    return len(double.calls)


def test_sentences_cite_edges_by_the_facts_that_the_model_names(
    database: Database, settings: Settings, home: Home, double: ModelDouble, client: ModelClient
) -> None:
    take_in(database, settings, home, FACTS)
    job = refresh_now(database, settings, home, client=client)
    assert (job.state, job.prompt_tokens > 0) == ("done", True)
    found = summary_of(database, home, "Acme")
    assert found is not None
    assert found.summary.written_by == "double"
    assert len(found.summary.citations) == 3
    for citation in found.summary.citations:
        assert found.summary.text[citation.char_start : citation.char_end].endswith(".")
        assert citation.edge_ids
    assert rows(database, home, LEDGER) == [("summary", False, 1)]


def test_many_nodes_share_a_call(
    database: Database, settings: Settings, home: Home, double: ModelDouble, client: ModelClient
) -> None:
    take_in(database, settings, home, "\n".join(FACTS.replace("Acme", f"Acme{n}") for n in range(20)))
    job = refresh_now(database, settings, home, client=client)
    # Twenty firms, and the four things that each of them does something with.
    assert job.counts["refreshed"] == 24
    assert calls(double) <= 24 / 4


def test_a_sentence_that_cites_no_fact_of_ours_is_left_out(
    database: Database, settings: Settings, home: Home, double: ModelDouble, client: ModelClient
) -> None:
    told = [
        {"text": "True.", "facts": [1, 2]},
        {"text": "Invented.", "facts": [99, 0, -1]},
        {"text": "Bare.", "facts": []},
        {"text": "One too many.", "facts": [1]},
    ]
    double.when(lambda prompt: '"sentences"' in prompt, {"passages": [{"id": 1, "sentences": told}]})
    take_in(database, settings, home, FACTS)
    refresh_now(database, settings, home, client=client)
    found = summary_of(database, home, "Acme")
    assert found is not None
    assert found.summary.text == "True."
    assert [len(citation.edge_ids) for citation in found.summary.citations] == [2]


@pytest.mark.parametrize("spoilt", ["cut", "uncited"])
def test_rules_write_where_the_answer_cannot_be_used(
    database: Database, settings: Settings, home: Home, double: ModelDouble, client: ModelClient, spoilt: str
) -> None:
    if spoilt == "cut":
        double.faults.add(Fault(M.CUT_JSON))
    else:
        bare = {"passages": [{"id": 1, "sentences": [{"text": "Bare.", "facts": []}]}]}
        double.when(lambda prompt: '"sentences"' in prompt, bare)
    take_in(database, settings, home, FACTS)
    refresh_now(database, settings, home, client=client)
    found = summary_of(database, home, "Acme")
    assert found is not None
    assert found.summary.written_by == "rules"
    assert found.summary.citations


def test_what_the_gate_skips_asks_nothing(
    database: Database, settings: Settings, home: Home, double: ModelDouble, client: ModelClient
) -> None:
    take_in(database, settings, home, FACTS)
    refresh_now(database, settings, home, client=client)
    paid = calls(double)
    take_in(database, settings, home, "As is known.\n" + FACTS)
    refresh_now(database, settings, home, client=client)
    assert decided(database, home) == {"first": 1, "unchanged": 1}
    assert calls(double) == paid


@pytest.mark.parametrize("step", ["written", "saving"])
def test_a_job_killed_after_its_call_pays_nothing_twice(
    database: Database, settings: Settings, home: Home, double: ModelDouble, client: ModelClient, step: str
) -> None:
    take_in(database, settings, home, FACTS)

    def die(reached: str) -> None:
        if reached == step:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        refresh_now(database, settings, home, client=client, checkpoint=die)
    assert summary_of(database, home, "Acme") is None
    assert calls(double) == 1
    with database.open_platform() as platform:
        platform.orm.connection().exec_driver_sql(
            "UPDATE job SET lease_until = now() - interval '1 second' WHERE state = 'running'"
        )
        queue.requeue_jobs_with_expired_leases(platform)
    refresh_now(database, settings, home, client=client)
    assert calls(double) == 1
    assert decided(database, home) == {"first": 1}
    assert rows(database, home, LEDGER) == [("summary", False, 1), ("summary", True, 1)]


def test_a_budget_that_is_spent_parks_the_job_and_leaves_what_was_saved(
    database: Database, settings: Settings, home: Home, double: ModelDouble, make_client: MakeClient
) -> None:
    client = make_client(double.base_url, prices={"double": (1_000.0, 2_000.0)})
    take_in(database, settings, home, FACTS)
    with database.open_tenant(home.tenant_id) as tenant:
        spaces.update_space_row(tenant, home.space_id, actor="test", settings=SpaceSettings(budget_usd=0.0))
    job = refresh_now(database, settings, home, client=client)
    assert (job.state, job.error_code) == ("queued", "budget_exhausted")
    assert report_of(database, home).counts == ()
    assert calls(double) == 0


def test_taking_in_an_unchanged_corpus_again_makes_no_call_at_all(
    database: Database, settings: Settings, home: Home, double: ModelDouble, client: ModelClient
) -> None:
    """The ledger shows zero, entities, relations, summaries and reports included (requirements 2.3, 6.1 and
    7.3).
    """
    bodies = [
        "Ada Lovelace created Analytical Engine Notes. Alma Canary created Analytical Engine Notes. "
        "Charles Babbage founded Difference Engine Works in London.",
        "Alma Canary works for Difference Engine Works. Ada Lovelace knows Charles Babbage.",
    ]
    extractors = Extractors(database, client, embedders=Embedders())

    def everything() -> None:
        submit(database, home, *(text(body, title=body[:20], source_uri=body[:20]) for body in bodies))
        handlers = {IngestDocuments.kind: partial(ingest_documents, extractors=extractors)}
        Runner(under(database, settings), settings, handlers).drain()
        with database.open_space(home.tenant_id, home.space_id) as space:
            enqueue_detection_or_run_waiting_now(space)
        handlers = {DetectCommunities.kind: partial(detect_communities_and_write_reports, client=client)}
        Runner(under(database, settings), settings, handlers).drain()
        refresh_now(database, settings, home, whole=True, client=client)

    everything()
    first, ledger = calls(double), rows(database, home, LEDGER)
    assert {row[0] for row in ledger} >= {"entities", "relations", "summary", "community_report"}
    everything()
    assert calls(double) == first
    assert rows(database, home, LEDGER) == ledger
    extractors.close()
