"""Summaries of a real space's nodes: looked at after ingests, decided by the gate, saved either way
(requirement 6).
"""

from datetime import timedelta
from typing import Any

import pytest

from app.db.database import Database
from app.derived.summaries import history, note_repository, repository, scheduling
from app.derived.summaries import service as summaries
from app.derived.summaries.gate_settings import GateSettings
from app.derived.summaries.history import ReplayResult
from app.derived.summaries.scheduling import MAX_DELAYS, schedule_refresh_or_merge_notes
from app.documents import service as documents
from app.graph import service as graph
from app.graph.write import merges
from app.ids import DocumentId, NodeId
from app.ingest import service as ingest
from app.jobs import queue
from app.jobs.kinds import RefreshSummaries
from app.llm.embedding.embedders import Embedders
from app.retrieval.service import Retriever
from app.retrieval.shapes import Query, Scoring
from app.settings import Settings
from app.space_settings import SpaceSettings
from app.tenancy.spaces import service as spaces
from tests.conftest import Home, under
from tests.support.ingest import submit, text
from tests.support.summaries import (
    Clock,
    decided,
    refresh_now,
    refresher,
    report_of,
    rows,
    summary_of,
    take_in,
)

FACTS = "\n".join(
    f"[Acme|Organization] {verb} [{thing}|Product]."
    for verb, thing in (
        ("owns", "Rocket"), ("created", "Base"), ("provides", "Fuel"), ("uses", "Steel"), ("owns", "Hangar"),
    )
)  # fmt: skip
MORE = "[Acme|Organization] replaces [Zeppelin|Product]."
DENIAL = "[Acme|Organization] owns [Castle|Product] no longer."


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def filled(database: Database, settings: Settings, home: Home, clock: Clock) -> Home:
    """A space with a node of five facts, summarised."""
    take_in(database, settings, home, FACTS)
    refresh_now(database, settings, home, now=clock)
    return home


def replayed(database: Database, home: Home) -> ReplayResult:
    with database.open_space(home.tenant_id, home.space_id) as space:
        return summaries.replay_gate(space, GateSettings())


def set_space(database: Database, home: Home, **settings: Any) -> None:
    with database.open_tenant(home.tenant_id) as tenant:
        spaces.update_space_row(tenant, home.space_id, actor="test", settings=SpaceSettings(**settings))


def acme_id(database: Database, home: Home) -> NodeId:
    with database.open_space(home.tenant_id, home.space_id) as space:
        return graph.find_nodes(space, "Acme")[0].id


def invalidate(database: Database, home: Home, thing: str) -> None:
    """End a claim past every service, as a person with psql may."""
    rows(
        database, home,
        "UPDATE graph_edge SET invalidated_at = now() FROM graph_node AS thing WHERE"
        " graph_edge.knowledge_space_id = %s AND thing.id = graph_edge.to_node_id AND thing.canonical_name = %s"  # noqa: E501
        " RETURNING graph_edge.id",
        thing,
    )  # fmt: skip


class TestRefresh:
    def test_a_node_of_two_facts_and_more_gets_a_cited_summary(
        self, database: Database, filled: Home
    ) -> None:
        found = summary_of(database, filled, "Acme")
        assert found is not None
        assert found.summary.text.startswith("Acme ")
        assert found.summary.written_by == "rules"
        assert summary_of(database, filled, "Rocket") is None
        with database.open_space(filled.tenant_id, filled.space_id) as space:
            edges = {edge.id for edge in graph.list_edges(space)}
        cited = [edge for citation in found.summary.citations for edge in citation.edge_ids]
        assert cited
        assert set(cited) <= edges

    def test_it_never_leaves_the_space(
        self, database: Database, settings: Settings, filled: Home, twin: Home
    ) -> None:
        take_in(database, settings, twin, FACTS.replace("Rocket", "Balloon"))
        assert report_of(database, twin).counts == ()
        refresh_now(database, settings, twin)
        own, theirs = summary_of(database, filled, "Acme"), summary_of(database, twin, "Acme")
        assert own is not None
        assert theirs is not None
        assert ("Balloon" in theirs.summary.text, "Balloon" in own.summary.text) == (True, False)
        assert decided(database, filled) == decided(database, twin) == {"first": 1}
        with database.open_space(twin.tenant_id, twin.space_id) as space:
            assert summaries.find_summary(space, own.node_id) is None
            assert {summary.node_id for summary in summaries.list_summaries(space)} == {theirs.node_id}
        assert replayed(database, twin).node_count == 1

    def test_nothing_is_looked_at_where_nothing_changed(
        self, database: Database, settings: Settings, filled: Home, clock: Clock
    ) -> None:
        take_in(database, settings, filled, FACTS)
        job = refresh_now(database, settings, filled, now=clock)
        assert job.counts == {"looked": 0, "refreshed": 0, "skipped": 0}

    def test_two_runs_give_the_same(
        self, database: Database, settings: Settings, home: Home, twin: Home
    ) -> None:
        told = []
        for owner in (home, twin):
            clock = Clock()
            for body in (FACTS, MORE, FACTS.replace("owns", "uses"), DENIAL):
                take_in(database, settings, owner, body)
                refresh_now(database, settings, owner, now=clock)
                clock.move(minutes=2)
            found = summary_of(database, owner, "Acme")
            assert found is not None
            told.append((found.summary.text, found.last_reason, decided(database, owner)))
        assert told[0] == told[1]

    def test_a_summary_goes_with_the_last_of_its_facts(
        self, database: Database, settings: Settings, filled: Home, clock: Clock
    ) -> None:
        for thing in ("Rocket", "Base", "Fuel", "Steel", "Hangar"):
            invalidate(database, filled, thing)
        refresh_now(database, settings, filled, now=clock)
        assert summary_of(database, filled, "Acme") is None
        assert rows(database, filled, "SELECT 1 FROM changed_node WHERE knowledge_space_id = %s") == []

    def test_a_space_from_before_is_looked_at_on_demand(
        self,
        database: Database,
        settings: Settings,
        home: Home,
        clock: Clock,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        """What an older version wrote has no notes."""
        take_in(database, settings, home, FACTS)
        rows(database, home, "DELETE FROM touched_nodes WHERE knowledge_space_id = %s RETURNING 1")
        monkeypatch.setattr(note_repository, "MAX_NOTED_NODES", 1)
        assert refresh_now(database, settings, home, now=clock).counts["looked"] == 0
        assert refresh_now(database, settings, home, whole=True, now=clock).counts["refreshed"] == 1


class TestNotes:
    """Whose facts changed is noted by each statement and gathered once, by the next look."""

    COUNTS = (
        "SELECT (SELECT count(*)::int FROM touched_nodes WHERE knowledge_space_id = s.knowledge_space_id),"
        " (SELECT count(*)::int FROM changed_node WHERE knowledge_space_id = s.knowledge_space_id)"
        " FROM space_anchor s WHERE s.knowledge_space_id = %s"
    )

    @pytest.mark.parametrize("bound", ["MAX_GATHERED_NOTES", "MAX_NOTED_NODES"])
    def test_many_notes_of_a_node_are_one_look_however_few_are_gathered_at_once(
        self,
        database: Database,
        settings: Settings,
        home: Home,
        clock: Clock,
        monkeypatch: pytest.MonkeyPatch,
        bound: str,
    ) -> None:
        for told in (FACTS, MORE, DENIAL):
            take_in(database, settings, home, told)
        ((noted, gathered),) = rows(database, home, self.COUNTS)
        assert noted >= 3
        assert gathered == 0
        monkeypatch.setattr(note_repository, bound, 1)
        assert refresh_now(database, settings, home, now=clock).counts == {
            "looked": 1,
            "refreshed": 1,
            "skipped": 0,
        }
        assert rows(database, home, self.COUNTS) == [(0, 0)]

    def test_where_summaries_are_off_there_are_never_more_notes_than_nodes(
        self, database: Database, settings: Settings, home: Home, clock: Clock
    ) -> None:
        set_space(database, home, summaries=False)
        for told in (FACTS, MORE, DENIAL):
            take_in(database, settings, home, told)
        ((noted, gathered),) = rows(database, home, self.COUNTS)
        ((nodes,),) = rows(
            database, home, "SELECT count(*)::int FROM graph_node WHERE knowledge_space_id = %s"
        )
        assert (noted, gathered) == (0, nodes)
        set_space(database, home, summaries=True)
        assert refresh_now(database, settings, home, now=clock).counts["refreshed"] == 1


class TestGate:
    def test_one_new_fact_among_forty_is_told(
        self, database: Database, settings: Settings, home: Home, clock: Clock
    ) -> None:
        """By the vectors as they are stored; what only says the forty again is not."""
        told = "\n".join(f"[Acme|Organization] uses [Thing{number}|Product]." for number in range(40))
        take_in(database, settings, home, told)
        refresh_now(database, settings, home, now=clock)
        for more, refreshed in ((told.replace("[Acme", "As is known, [Acme"), 0), (MORE, 1)):
            clock.move(hours=1)
            take_in(database, settings, home, more)
            assert refresh_now(database, settings, home, now=clock).counts["refreshed"] == refreshed, more
        assert decided(database, home) == {"first": 1, "unchanged": 1, "drifted": 1}
        assert replayed(database, home).difference_counts == {}

    def test_unchanged_facts_are_skipped_though_another_document_states_them(
        self, database: Database, settings: Settings, filled: Home, clock: Clock
    ) -> None:
        before = summary_of(database, filled, "Acme")
        take_in(database, settings, filled, "As is known.\n" + FACTS)
        refresh_now(database, settings, filled, now=clock)
        assert decided(database, filled) == {"first": 1, "unchanged": 1}
        after = summary_of(database, filled, "Acme")
        assert before is not None
        assert after is not None
        assert (after.summary, after.at) == (before.summary, before.at)
        assert (after.last_reason, after.skipped) == ("unchanged", 1)

    def test_drift_threshold(
        self, database: Database, settings: Settings, filled: Home, clock: Clock
    ) -> None:
        """One fact more than five moves the pool far beyond 0.001, and never beyond 2."""
        set_space(database, filled, summary_drift_threshold=2.0)
        take_in(database, settings, filled, MORE)
        refresh_now(database, settings, filled, now=clock)
        assert decided(database, filled) == {"first": 1, "within_drift": 1}
        set_space(database, filled)
        take_in(database, settings, filled, MORE.replace("Zeppelin", "Balloon"))
        clock.move(hours=1)
        refresh_now(database, settings, filled, now=clock)
        assert decided(database, filled) == {"first": 1, "within_drift": 1, "drifted": 1}

    def test_a_negation_refreshes_and_is_told(
        self, database: Database, settings: Settings, filled: Home, clock: Clock
    ) -> None:
        take_in(database, settings, filled, DENIAL)
        refresh_now(database, settings, filled, now=clock)
        assert decided(database, filled) == {"first": 1, "negation": 1}
        found = summary_of(database, filled, "Acme")
        assert found is not None
        assert "no longer" in found.summary.text

    def test_an_invalidated_fact_refreshes_whoever_ended_it(
        self, database: Database, settings: Settings, filled: Home, clock: Clock
    ) -> None:
        invalidate(database, filled, "Rocket")
        refresh_now(database, settings, filled, now=clock)
        assert decided(database, filled) == {"first": 1, "invalidated": 1}
        found = summary_of(database, filled, "Acme")
        assert found is not None
        assert "Rocket" not in found.summary.text

    def test_a_fact_that_goes_with_its_only_document_takes_the_summary_along(
        self, database: Database, settings: Settings, filled: Home, clock: Clock
    ) -> None:
        take_in(database, settings, filled, MORE)
        refresh_now(database, settings, filled, now=clock)
        with database.open_space(filled.tenant_id, filled.space_id) as space:
            (added,) = [
                document for document in documents.list_documents(space) if document.title == MORE[:40]
            ]
            ingest.delete_document_with_all_its_words(space, DocumentId(added.id), prune=True)
        assert summary_of(database, filled, "Acme") is None
        refresh_now(database, settings, filled, now=clock)
        assert decided(database, filled) == {"first": 2, "drifted": 1}

    def test_a_merge_gives_the_winner_new_facts_and_takes_the_losers_summary_away(
        self, database: Database, settings: Settings, filled: Home, clock: Clock
    ) -> None:
        take_in(database, settings, filled, FACTS.replace("Acme", "Zenith").replace("|Product", "2|Product"))
        refresh_now(database, settings, filled, now=clock)
        other = summary_of(database, filled, "Zenith")
        assert other is not None
        with database.open_space(filled.tenant_id, filled.space_id) as space:
            merges.merge_nodes_by_person(space, acme_id(database, filled), other.node_id, actor="test")
        clock.move(hours=1)
        refresh_now(database, settings, filled, now=clock)
        assert decided(database, filled) == {"first": 2, "drifted": 1}
        with database.open_space(filled.tenant_id, filled.space_id) as space:
            assert summaries.find_summary(space, other.node_id) is None

    def test_a_merge_of_two_that_a_claim_joins_takes_away_what_was_written_of_it(
        self, database: Database, settings: Settings, filled: Home, clock: Clock
    ) -> None:
        with database.open_space(filled.tenant_id, filled.space_id) as space:
            (rocket,) = graph.find_nodes(space, "Rocket")
            merges.merge_nodes_by_person(space, acme_id(database, filled), rocket.id, actor="test")
        assert summary_of(database, filled, "Acme") is None
        clock.move(hours=1)
        refresh_now(database, settings, filled, now=clock)
        found = summary_of(database, filled, "Acme")
        assert found is not None
        with database.open_space(filled.tenant_id, filled.space_id) as space:
            edges = {edge.id for edge in graph.list_edges(space)}
        assert {edge for citation in found.summary.citations for edge in citation.edge_ids} <= edges

    def test_a_merge_of_two_that_no_claim_joins_leaves_what_was_written(
        self, database: Database, filled: Home
    ) -> None:
        before = summary_of(database, filled, "Acme")
        with database.open_space(filled.tenant_id, filled.space_id) as space:
            ids = [graph.find_nodes(space, name)[0].id for name in ("Rocket", "Base")]
            merges.merge_nodes_by_person(space, ids[0], ids[1], actor="test")
        assert before == summary_of(database, filled, "Acme")

    def test_staleness_limit(
        self, database: Database, settings: Settings, filled: Home, clock: Clock
    ) -> None:
        clock.move(days=30)
        refresh_now(database, settings, filled, whole=True, now=clock)
        assert decided(database, filled) == {"first": 1, "unchanged": 1}
        clock.move(minutes=1)
        refresh_now(database, settings, filled, whole=True, now=clock)
        assert decided(database, filled) == {"first": 1, "unchanged": 1, "stale": 1}

    def test_a_burst_is_deferred_until_it_ends_and_then_looked_at_by_a_job_of_its_own(
        self, database: Database, settings: Settings, home: Home, clock: Clock
    ) -> None:
        """Three episodes within burst_window (5 minutes)."""
        for number, body in enumerate((FACTS, MORE, MORE.replace("Zeppelin", "Balloon"))):
            clock.move(minutes=number)
            take_in(database, settings, home, body)
            refresh_now(database, settings, home, now=clock)
        found = summary_of(database, home, "Acme")
        assert found is not None
        assert (found.last_reason, found.pending) == ("burst", True)
        assert found.due_at == clock() + timedelta(minutes=5)
        with database.open_space(home.tenant_id, home.space_id) as space:
            waiting = [
                job
                for job in queue.list_jobs(space)
                if (job.kind, job.state) == (RefreshSummaries.kind, "queued")
            ]
        assert [round((job.run_after - job.created_at).total_seconds()) for job in waiting] == [300]
        clock.move(minutes=4)
        refresh_now(database, settings, home, now=clock)
        assert summary_of(database, home, "Acme") == found
        clock.move(minutes=1)
        refresh_now(database, settings, home, now=clock)
        found = summary_of(database, home, "Acme")
        assert found is not None
        assert (found.last_reason, found.pending, found.due_at) == ("burst_ended", False, None)
        assert decided(database, home) == {"first": 1, "drifted": 1, "burst": 1, "burst_ended": 1}

    def test_burst_cap(self, database: Database, settings: Settings, home: Home, clock: Clock) -> None:
        set_space(database, home, summary_burst_cap=2, summary_burst_episodes=2)
        for number in range(4):
            take_in(database, settings, home, FACTS.replace("Rocket", f"Rocket{number}"))
            refresh_now(database, settings, home, now=clock)
            clock.move(minutes=1)
        assert decided(database, home) == {"first": 1, "burst": 2, "burst_cap": 1}

    @pytest.mark.parametrize("whose", ["platform", "space"])
    def test_every_default_is_a_setting_of_the_platform_and_of_a_space(
        self, database: Database, settings: Settings, home: Home, whose: str
    ) -> None:
        own: dict[str, Any] = {
            "summary_drift_threshold": 0.5,
            "summary_burst_window": 60.0,
            "summary_burst_episodes": 7,
            "summary_burst_cap": 9,
            "summary_staleness_limit": 1.0,
        }
        with database.open_space(home.tenant_id, home.space_id) as space:
            assert scheduling.get_gate_settings_of_space(space) == GateSettings()
        if whose == "space":
            set_space(database, home, **own)
        else:
            database = under(database, settings.model_copy(update=own))
        with database.open_space(home.tenant_id, home.space_id) as space:
            assert scheduling.get_gate_settings_of_space(space) == GateSettings(
                0.5, timedelta(minutes=1), 7, 9, timedelta(days=1)
            )


class TestCrashes:
    @pytest.mark.parametrize("step", ["looked", "written", "saving", "saved"])
    def test_a_job_killed_in_the_middle_leaves_whole_states_and_resumes(
        self, database: Database, settings: Settings, filled: Home, clock: Clock, step: str
    ) -> None:
        take_in(database, settings, filled, MORE)
        before = summary_of(database, filled, "Acme")

        def die(reached: str) -> None:
            if reached == step:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            refresh_now(database, settings, filled, checkpoint=die, now=clock)
        if step != "saved":
            assert summary_of(database, filled, "Acme") == before
            assert decided(database, filled) == {"first": 1}
        with database.open_platform() as platform:
            platform.orm.connection().exec_driver_sql(
                "UPDATE job SET lease_until = now() - interval '1 second' WHERE state = 'running'"
            )
            queue.requeue_jobs_with_expired_leases(platform)
        assert refresher(database, settings, now=clock).drain() == 1
        assert decided(database, filled) == {"first": 1, "drifted": 1}
        assert replayed(database, filled).difference_counts == {}
        assert rows(database, filled, "SELECT 1 FROM changed_node WHERE knowledge_space_id = %s") == []

    def test_what_changes_while_a_job_looks_is_looked_at_by_the_next(
        self, database: Database, settings: Settings, filled: Home, clock: Clock
    ) -> None:
        take_in(database, settings, filled, MORE)

        def change(step: str) -> None:
            if step == "looked":
                take_in(database, settings, filled, DENIAL)

        refresh_now(database, settings, filled, checkpoint=change, now=clock)
        assert decided(database, filled) == {"first": 1, "drifted": 1}
        refresh_now(database, settings, filled, now=clock)
        assert decided(database, filled) == {"first": 1, "drifted": 1, "negation": 1}

    def test_of_two_jobs_that_look_at_one_node_at_once_the_first_to_save_decides(
        self, database: Database, settings: Settings, filled: Home, clock: Clock
    ) -> None:
        take_in(database, settings, filled, MORE)

        def overtake(step: str) -> None:
            if step == "written":
                refresh_now(database, settings, filled, now=clock)

        job = refresh_now(database, settings, filled, checkpoint=overtake, now=clock)
        assert (job.state, job.counts["refreshed"]) == ("done", 0)
        assert decided(database, filled) == {"first": 1, "drifted": 1}
        assert replayed(database, filled).replayed_counters.refreshed.total() == 2

    def test_a_note_of_a_transaction_that_commits_late_is_not_lost(
        self, database: Database, settings: Settings, filled: Home, clock: Clock
    ) -> None:
        """An earlier time or id than what was looked at means nothing: notes are rows, not a place in a
        row.
        """
        with database.open_space(filled.tenant_id, filled.space_id) as late:
            late.connection.execute(
                "UPDATE graph_edge SET invalidated_at = now() FROM graph_node AS thing"
                " WHERE graph_edge.knowledge_space_id = %s AND thing.id = graph_edge.to_node_id"
                " AND thing.canonical_name = 'Rocket'",
                [filled.space_id],
            )
            take_in(
                database,
                settings,
                filled,
                "[Eve|Person] knows [Bob|Person].\n[Bob|Person] uses [Saw|Product].",
            )
            refresh_now(database, settings, filled, now=clock)
        refresh_now(database, settings, filled, now=clock)
        assert decided(database, filled)["invalidated"] == 1


class TestHistory:
    def test_state_is_saved_whether_or_not_the_summary_ran(
        self, database: Database, settings: Settings, filled: Home, clock: Clock
    ) -> None:
        take_in(database, settings, filled, "As is known.\n" + FACTS)
        clock.move(minutes=1)
        refresh_now(database, settings, filled, now=clock)
        ((looked, summarised, reason, episodes, refreshed, skipped),) = rows(
            database, filled,
            "SELECT looked_at, summarised_at, last_reason, episodes, refreshed, skipped FROM node_summary"
            " WHERE knowledge_space_id = %s",
        )  # fmt: skip
        assert (looked - summarised, reason) == (timedelta(minutes=1), "unchanged")
        assert (episodes, refreshed, skipped) == (2, 1, 1)

    def test_a_long_history_is_kept_bounded_sampled_and_decided_the_same_again(
        self,
        database: Database,
        settings: Settings,
        filled: Home,
        clock: Clock,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        assert (history.MAX_KEPT_EPISODES, repository.SKIP_SAMPLE_INTERVAL, repository.MAX_STORED_SKIPS) == (
            25,
            50,
            200,
        )
        monkeypatch.setattr(history, "MAX_KEPT_EPISODES", 5)
        monkeypatch.setattr(repository, "SKIP_SAMPLE_INTERVAL", 4)
        for number in range(12):
            if number % 4 == 0:
                take_in(database, settings, filled, MORE.replace("Zeppelin", f"Zeppelin{number}"))
            clock.move(minutes=3)
            refresh_now(database, settings, filled, whole=True, now=clock)
        found = replayed(database, filled)
        assert found.difference_counts == {}
        # Of episodes 0 to 12 those since the fifth: the state before it was kept, and before the tenth again.
        assert found.original_counters.refreshed.total() + found.original_counters.skipped.total() == 8
        assert decided(database, filled) == {"first": 1, "drifted": 3, "unchanged": 9}
        report = report_of(database, filled)
        assert report.skipped_share == pytest.approx(9 / 13)
        assert len(report.skips) == 3
        with database.open_space(filled.tenant_id, filled.space_id) as space:
            patient = summaries.replay_gate(space, GateSettings(drift_threshold=2.0))
            one = summaries.replay_gate(space, GateSettings(), node_id=acme_id(database, filled))
        assert patient.replayed_counters.refreshed.total() < found.replayed_counters.refreshed.total()
        assert one.original_counters == found.original_counters

    def test_a_skip_that_is_kept_for_review_says_what_was_new(
        self, database: Database, settings: Settings, filled: Home, clock: Clock
    ) -> None:
        set_space(database, filled, summary_drift_threshold=2.0)
        take_in(database, settings, filled, MORE)
        refresh_now(database, settings, filled, now=clock)
        (kept,) = report_of(database, filled).skips
        assert (kept.canonical_name, kept.reason, kept.new_facts) == (
            "Acme", "within_drift", ("Acme replaces Zeppelin",),
        )  # fmt: skip
        assert 0.001 < kept.drift < 2
        assert kept.summary.startswith("Acme ")


def test_retrieval_scores_a_passage_by_what_is_said_of_the_nodes_that_it_names(
    database: Database, settings: Settings, home: Home
) -> None:
    """Requirement 9.4: title above summary above body"""
    take_in(database, settings, home, FACTS)
    query = Query("Acme owns Hangar and Rocket", scoring=Scoring.TEXT_OVERLAP)

    def overlap() -> float:
        retriever = Retriever(database, Embedders(), Settings())
        found = retriever.retrieve_and_record_recalls(home.tenant_id, home.space_id, query)
        retriever.close()
        return found.passages[0].breakdown["text_overlap"]

    before = overlap()
    refresh_now(database, settings, home)
    assert before < overlap() <= 1


class TestScheduling:
    def test_debounced_after_ingests(self, database: Database, settings: Settings, home: Home) -> None:
        for number in range(3):
            take_in(database, settings, home, f"{number}\n{FACTS}")
        with database.open_space(home.tenant_id, home.space_id) as space:
            (job,) = [job for job in queue.list_jobs(space) if job.kind == RefreshSummaries.kind]
        rest = (job.run_after - job.created_at).total_seconds()
        assert job.state == "queued"
        assert settings.summary_delay <= rest <= MAX_DELAYS * settings.summary_delay

    @pytest.mark.parametrize("whose", ["platform", "space"])
    def test_switched_off(self, database: Database, settings: Settings, home: Home, whose: str) -> None:
        if whose == "space":
            set_space(database, home, summaries=False)
        else:
            database = under(database, settings.model_copy(update={"summaries": False}))
        submit(database, home, text("Ada knows Bea."))
        with database.open_space(home.tenant_id, home.space_id) as space:
            schedule_refresh_or_merge_notes(space, settings)
            assert [job.kind for job in queue.list_jobs(space)] == ["ingest.documents"]
