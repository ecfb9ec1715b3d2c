"""Eviction of chunks by a space's policy (requirement 12.2): what goes, in which order, what never does."""

import re
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from math import log
from typing import Any

import pytest

from app.db.database import Database
from app.derived.eviction import job as memory_job
from app.derived.eviction import scheduling
from app.documents import service as documents
from app.graph import service as graph
from app.ids import DocumentId, JobId
from app.ingest import service as ingest
from app.jobs import queue
from app.jobs.kinds import DetectCommunities, EvictChunks, RefreshSummaries
from app.jobs.states import JobState
from app.settings import Settings
from app.tenancy.spaces import service as spaces
from tests.conftest import Home
from tests.support.evictions import (
    evict_now,
    evictor,
    job_of,
    make_older,
    plan_of,
    planned,
    request,
    set_policy,
    set_recalls,
    take_in,
    titles,
)
from tests.support.ingest import make_runner, picture, submit, text
from tests.support.scripted_extractor import Scripted
from workers.sweeper import sweep_and_wake_if_jobs_wait

DAY = timedelta(days=1)
# Texts that name things and claim nothing: no edge rests on them.
PLAIN = {f"note{number}": f"[Thing{number}|Product] and [Ada|Person]." for number in range(5)}
CLAIM = {"claim": "[Ada|Person] created [Engine|Product]."}


@pytest.fixture
def notes(database: Database, settings: Settings, home: Home) -> Home:
    """Five chunks without claims, note0 the oldest, each a document of its own."""
    take_in(database, settings, home, **PLAIN)
    for number in range(5):
        make_older(database, home, f"note{number}", (10 - number) * DAY)
    return home


def _nameless(picture: dict[str, list[tuple[Any, ...]]]) -> str:
    """The picture, where nodes that nothing names any more are called alike in every space."""
    return re.sub(r"forgotten [0-9a-f-]{36}", "forgotten", repr(picture))


def revision(database: Database, home: Home) -> int:
    with database.open_space(home.tenant_id, home.space_id) as space:
        return spaces.get_open_space_row(space).graph_revision


def waiting(database: Database, home: Home) -> list[Any]:
    with database.open_space(home.tenant_id, home.space_id) as space:
        return [
            job for job in queue.list_jobs(space) if job.kind == EvictChunks.kind and job.state == "queued"
        ]


def miscounted(database: Database, home: Home) -> list[Any]:
    """Nodes whose count, or votes, differ from their mentions, and documents whose chunk count is wrong."""
    with database.open_space(home.tenant_id, home.space_id) as space:
        nodes = space.connection.execute(
            "SELECT n.canonical_name FROM graph_node n WHERE n.knowledge_space_id = %s AND (n.mention_count,"
            " (SELECT coalesce(sum(v.value::int), 0) FROM jsonb_each_text(n.metadata -> 'nameVotes') v)) <> ("
            " SELECT count(*), count(*) FROM node_mention m"
            " WHERE m.knowledge_space_id = n.knowledge_space_id AND m.node_id = n.id)",
            [home.space_id],
        ).fetchall()
        owners = space.connection.execute(
            "SELECT d.title FROM document d WHERE d.knowledge_space_id = %s AND d.chunk_count <> (SELECT"
            " count(*) FROM knowledge_chunk c WHERE c.knowledge_space_id = d.knowledge_space_id AND"
            " c.document_id = d.id)",
            [home.space_id],
        ).fetchall()
    return [*nodes, *owners]


class TestPolicies:
    def test_12_2_none_is_the_default_and_keeps_everything(
        self, database: Database, settings: Settings, notes: Home
    ) -> None:
        plan = plan_of(database, notes)
        assert (plan.policy.eviction, plan.evictable, plan.listed) == ("none", 0, ())
        with pytest.raises(scheduling.NoPolicy):
            request(database, notes)
        assert waiting(database, notes) == []

    def test_12_2_ttl_gives_up_what_is_older(
        self, database: Database, settings: Settings, notes: Home
    ) -> None:
        set_policy(database, notes, eviction="ttl", eviction_ttl_days=8.5)
        set_recalls(database, notes, "note0", 100, 100.0)
        assert planned(database, notes) == [("note1", "expired"), ("note0", "expired")]
        assert evict_now(database, settings, notes).counts["evicted"] == 2
        assert set(titles(database, notes)) == {"note2", "note3", "note4"}

    def test_12_2_capacity_keeps_the_most_valuable_and_of_equals_the_newest(
        self, database: Database, settings: Settings, notes: Home
    ) -> None:
        set_policy(database, notes, eviction="capacity", eviction_max_chunks=2)
        set_recalls(database, notes, "note0", 3, 2.0)
        assert planned(database, notes) == [(f"note{number}", "over_capacity") for number in (1, 2, 3)]
        assert evict_now(database, settings, notes).counts["evicted"] == 3
        assert set(titles(database, notes)) == {"note0", "note4"}
        assert planned(database, notes) == []

    def test_12_2_recall_based_gives_up_what_is_of_little_value_once_it_is_a_week_old(
        self, database: Database, settings: Settings, notes: Home
    ) -> None:
        """note3 and note4 are 7 days old and 6; note1 has been recalled to a value of 0.3 ln 2 + 0.5 x 0.9 +
        0.2.
        """
        set_policy(database, notes, eviction="recall_based", eviction_min_value=0.8)
        set_recalls(database, notes, "note1", 1, 0.9)
        set_recalls(database, notes, "note2", 1, 0.1)
        make_older(database, notes, "note3", 7 * DAY - timedelta(hours=1))
        assert planned(database, notes) == [("note0", "little_recalled"), ("note2", "little_recalled")]
        assert evict_now(database, settings, notes).counts["evicted"] == 2
        assert set(titles(database, notes)) == {"note1", "note3", "note4"}

    def test_12_2_hybrid_is_ttl_and_capacity(
        self, database: Database, settings: Settings, notes: Home
    ) -> None:
        """note0 has expired; of the other four the two of least value go until two are left."""
        set_policy(database, notes, eviction="hybrid", eviction_ttl_days=9.5, eviction_max_chunks=2)
        set_recalls(database, notes, "note0", 9, 9.0)
        set_recalls(database, notes, "note1", 1, 1.0)
        expected = [("note0", "expired"), ("note2", "over_capacity"), ("note3", "over_capacity")]
        assert planned(database, notes) == expected
        assert evict_now(database, settings, notes).counts["evicted"] == 3
        assert set(titles(database, notes)) == {"note1", "note4"}

    def test_12_1_the_value_is_03_of_count_05_of_score_02_of_recency(
        self, database: Database, notes: Home
    ) -> None:
        """The statement's values are those of the formula, at whatever age of the last recall."""
        set_policy(database, notes, eviction="capacity", eviction_max_chunks=1)
        recalled = {
            "note0": (1, 1.0, timedelta()),
            "note1": (20, 3.0, 30 * DAY),
            "note2": (3, 2.9, -DAY),
            "note3": (1_000, 1.0, 365 * DAY),
        }
        for title, recalls in recalled.items():
            set_recalls(database, notes, title, *recalls)
        expected = {
            title: 0.3 * log(1 + count) + 0.5 * total / count + 0.2 * min(1.0, 0.5 ** (age / (30 * DAY)))
            for title, (count, total, age) in recalled.items()
        }
        assert expected["note0"] == pytest.approx(0.3 * 0.693147 + 0.5 + 0.2, abs=1e-5)
        found = {passage.document_title: passage.value for passage in plan_of(database, notes).listed}
        assert found.pop("note4") == 0
        assert found == pytest.approx({title: expected[title] for title in found}, abs=1e-6)
        assert len(found) == 3


class TestDryRun:
    def test_it_changes_nothing_and_lists_exactly_what_the_real_run_removes(
        self, database: Database, settings: Settings, notes: Home, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(memory_job, "BATCH_CHUNKS", 2)
        take_in(database, settings, notes, **CLAIM)
        set_policy(database, notes, eviction="hybrid", eviction_ttl_days=9.5, eviction_max_chunks=2)
        before, stood = picture(database, notes), revision(database, notes)
        listed = {chunk.chunk_id for chunk in plan_of(database, notes).listed}
        assert picture(database, notes) == before
        assert revision(database, notes) == stood
        chunks = set(titles(database, notes).values())
        evict_now(database, settings, notes)
        assert chunks - set(titles(database, notes).values()) == listed
        assert len(listed) == 4

    def test_its_pages_are_one_list(self, database: Database, notes: Home) -> None:
        set_policy(database, notes, eviction="capacity", eviction_max_chunks=1)
        whole = plan_of(database, notes)
        first, rest = plan_of(database, notes, limit=3), plan_of(database, notes, after=3)
        assert [chunk.chunk_id for chunk in (*first.listed, *rest.listed)] == [
            chunk.chunk_id for chunk in whole.listed
        ]
        assert (first.evictable, rest.evictable, whole.chunks) == (4, 4, 5)
        assert plan_of(database, notes, after=4).listed == ()


class TestLastEvidence:
    @pytest.fixture
    def claims(self, database: Database, settings: Settings, notes: Home) -> Home:
        take_in(database, settings, notes, **CLAIM)
        set_policy(database, notes, eviction="capacity", eviction_max_chunks=1)
        return notes

    @pytest.fixture
    def copies(self, database: Database, settings: Settings, home: Home) -> Home:
        """Three documents whose first chunk says the same and whose second does not."""
        small = settings.model_copy(update={"chunk_tokens": 32})
        for title in ("first", "second", "third"):
            same = f"{CLAIM['claim']} {'The rest of it is of no interest to anybody here. ' * 2}"
            take_in(
                database, small, home, **{title: f"{same}\n\n{f'Only the {title} says this of it. ' * 3}"}
            )
        return home

    def evidence(self, database: Database, home: Home) -> list[str | None]:
        with database.open_space(home.tenant_id, home.space_id) as space:
            edges = graph.list_edges(space)
        return [edge.evidence.document_title if edge.evidence else None for edge in edges]

    def test_12_2_never_the_last_evidence_of_an_edge(
        self, database: Database, settings: Settings, claims: Home
    ) -> None:
        """Only the claim is left though a note was to stay: it is the most recalled, and that does not
        help.
        """
        for number in range(5):
            set_recalls(database, claims, f"note{number}", 100, 100.0)
        assert "claim" not in dict(planned(database, claims))
        assert plan_of(database, claims).protected == 1
        job = evict_now(database, settings, claims)
        assert (job.counts["evicted"], job.counts["protected"]) == (5, 0)
        assert set(titles(database, claims)) == {"claim"}
        assert self.evidence(database, claims) == ["claim"]

    def test_unless_asked(self, database: Database, settings: Settings, claims: Home) -> None:
        for number in range(5):
            set_recalls(database, claims, f"note{number}", 100, 100.0)
        asked = dict(planned(database, claims, including_last_evidence=True))
        assert asked.keys() == {"claim", "note0", "note1", "note2", "note3"}
        job = evict_now(database, settings, claims, including_last_evidence=True)
        assert (job.counts["evicted"], job.counts["unlinked_edges"]) == (5, 1)
        assert self.evidence(database, claims) == [None]

    def test_a_space_may_ask_for_it_once_and_for_all(
        self, database: Database, settings: Settings, claims: Home
    ) -> None:
        set_policy(database, claims, eviction="capacity", eviction_max_chunks=1, eviction_last_evidence=True)
        set_recalls(database, claims, "note4", 1, 1.0)
        assert plan_of(database, claims).evictable == 5
        assert plan_of(database, claims, including_last_evidence=False).protected == 1
        evict_now(database, settings, claims)
        assert self.evidence(database, claims) == [None]

    def test_of_equal_texts_the_newest_stays_and_bears_the_edges(
        self, database: Database, settings: Settings, copies: Home
    ) -> None:
        set_policy(database, copies, eviction="ttl", eviction_ttl_days=1e-9)
        assert len(titles(database, copies)) >= 6
        evict_now(database, settings, copies)
        assert set(titles(database, copies)) == {"third"}
        assert self.evidence(database, copies) == ["third"]

    def test_what_became_the_last_evidence_since_it_was_chosen_stays(
        self, database: Database, settings: Settings, copies: Home
    ) -> None:
        set_policy(database, copies, eviction="ttl", eviction_ttl_days=1e-9)
        assert {passage.document_title for passage in plan_of(database, copies).listed} == {
            "first", "second", "third",
        }  # fmt: skip

        def take_the_newest_out(step: str) -> None:
            if step == "chosen" and "third" in titles(database, copies):
                with database.open_space(copies.tenant_id, copies.space_id) as space:
                    third = documents.get_chunk(space, titles(database, copies)["third"]).document_id
                    ingest.delete_document_with_all_its_words(space, DocumentId(third))

        evict_now(database, settings, copies, checkpoint=take_the_newest_out)
        assert set(titles(database, copies)) == {"second"}
        assert self.evidence(database, copies) == ["second"]


class TestWhatGoes:
    def test_all_of_a_document_goes_as_if_the_document_was_deleted(
        self, database: Database, settings: Settings, home: Home, twin: Home
    ) -> None:
        """Mentions, counts, votes and evidence: the graphs are equal, and the revision rises in both."""
        for owner in (home, twin):
            take_in(database, settings, owner, **PLAIN, **CLAIM)
        make_older(database, home, "claim", 3 * DAY)
        make_older(database, home, "note2", 3 * DAY)
        set_policy(database, home, eviction="ttl", eviction_ttl_days=2.0)
        stood = revision(database, home)
        job = evict_now(database, settings, home, including_last_evidence=True)
        assert (job.counts["evicted"], job.counts["documents"]) == (2, 2)
        for title in ("claim", "note2"):
            with database.open_space(twin.tenant_id, twin.space_id) as space:
                chunk = documents.get_chunk(space, titles(database, twin)[title])
                ingest.delete_document_with_all_its_words(space, DocumentId(chunk.document_id))
        assert _nameless(picture(database, home)) == _nameless(picture(database, twin))
        assert miscounted(database, home) == []
        assert revision(database, home) > stood

    def test_of_a_document_in_part_the_rest_stays_and_is_counted(
        self, database: Database, settings: Settings, home: Home
    ) -> None:
        """Its text stays whole; sent again as it was it is unchanged, changed it is read again."""
        small = settings.model_copy(update={"chunk_tokens": 32})
        body = "\n\n".join(
            f"[Thing{n}|Product] is one of many words that fill a chunk." * 2 for n in range(6)
        )
        take_in(database, small, home, long=body)
        chunks = len(titles(database, home))
        assert chunks >= 4
        set_policy(database, home, eviction="capacity", eviction_max_chunks=2)
        assert evict_now(database, settings, home).counts == {
            "evicted": chunks - 2, "documents": 0, "unlinked_edges": 0, "protected": 0,
        }  # fmt: skip
        assert miscounted(database, home) == []
        with database.open_space(home.tenant_id, home.space_id) as space:
            (document,) = documents.list_documents(space)
            assert document.chunk_count == 2
            assert documents.read_document_text(space, DocumentId(document.id)) == body
        assert submit(database, home, text(body, title="long", source_uri="long"))[1] is None
        set_policy(database, home)
        take_in(database, small, home, long=f"{body}\n\nAnd more.")
        assert len(titles(database, home)) > chunks

    def test_an_emptied_document_comes_back_when_it_is_sent_again(
        self, database: Database, settings: Settings, notes: Home
    ) -> None:
        before = picture(database, notes)
        set_policy(database, notes, eviction="ttl", eviction_ttl_days=1.0)
        assert evict_now(database, settings, notes).counts["documents"] == 5
        set_policy(database, notes)
        take_in(database, settings, notes, **PLAIN)
        after = picture(database, notes)
        assert [row[:3] for row in after["nodes"]] == [row[:3] for row in before["nodes"]]
        assert after["mentions"] == before["mentions"]

    def test_a_document_that_is_being_read_is_left_alone(
        self, database: Database, settings: Settings, notes: Home
    ) -> None:
        set_policy(database, notes, eviction="ttl", eviction_ttl_days=1.0)
        submit(database, notes, text("[Other|Product].", title="note1", source_uri="note1"))
        evict_now(database, settings, notes)
        assert set(titles(database, notes)) == {"note1"}

    def test_it_never_leaves_the_space(
        self, database: Database, settings: Settings, notes: Home, twin: Home
    ) -> None:
        take_in(database, settings, twin, **PLAIN, **CLAIM)
        before = picture(database, twin)
        set_policy(database, notes, eviction="capacity", eviction_max_chunks=1)
        set_policy(database, twin, eviction="capacity", eviction_max_chunks=1)
        own = set(titles(database, notes).values())
        assert {chunk.chunk_id for chunk in plan_of(database, notes).listed} < own
        assert evict_now(database, settings, notes).counts["evicted"] == 4
        assert picture(database, twin) == before


class TestWhatFollows:
    """What was written about the graph is looked at again, as after a document's end."""

    def queued(self, database: Database, home: Home) -> list[str]:
        """Kinds of the jobs that wait to look at the graph; each is cancelled."""
        kinds = (DetectCommunities.kind, RefreshSummaries.kind)
        with database.open_space(home.tenant_id, home.space_id) as space:
            found = [
                job for job in queue.list_jobs(space) if job.kind in kinds and job.state == JobState.QUEUED
            ]
            for job in found:
                queue.cancel_job(space, JobId(job.id))
        return sorted(job.kind for job in found)

    def test_what_loses_evidence_or_mentions_has_communities_and_summaries_looked_at(
        self, database: Database, settings: Settings, home: Home
    ) -> None:
        take_in(database, settings, home, **CLAIM)
        both = self.queued(database, home)
        assert both == [DetectCommunities.kind, RefreshSummaries.kind]
        make_older(database, home, "claim", 3 * DAY)
        set_policy(database, home, eviction="ttl", eviction_ttl_days=2.0)
        assert evict_now(database, settings, home).counts["evicted"] == 0
        assert self.queued(database, home) == []
        evict_now(database, settings, home, including_last_evidence=True)
        assert self.queued(database, home) == both

    def test_a_chunk_that_named_nothing_changes_no_graph(
        self, database: Database, settings: Settings, home: Home
    ) -> None:
        take_in(database, settings, home, idle="Nothing of this is of interest to anybody.")
        self.queued(database, home)
        make_older(database, home, "idle", 3 * DAY)
        set_policy(database, home, eviction="ttl", eviction_ttl_days=2.0)
        assert evict_now(database, settings, home).counts["evicted"] == 1
        assert self.queued(database, home) == []


class TestTheJob:
    def test_it_goes_in_batches_each_a_transaction_of_its_own(
        self, database: Database, settings: Settings, notes: Home, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(memory_job, "BATCH_CHUNKS", 2)
        set_policy(database, notes, eviction="ttl", eviction_ttl_days=1.0)
        seen = []

        def look(step: str) -> None:
            if step in ("evicting", "evicted"):
                seen.append((step, len(titles(database, notes))))

        job = evict_now(database, settings, notes, checkpoint=look)
        assert (job.state, job.progress, job.counts["evicted"]) == ("done", 100.0, 5)
        sizes = (5, 3, 3, 1, 1, 0)
        assert seen == list(zip(("evicting", "evicted") * 3, sizes, strict=True))

    @pytest.mark.parametrize("step", ["evicting", "evicted"])
    def test_a_kill_leaves_each_batch_whole_and_the_next_attempt_goes_on(
        self, step: str, database: Database, settings: Settings, notes: Home, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(memory_job, "BATCH_CHUNKS", 2)
        set_policy(database, notes, eviction="ttl", eviction_ttl_days=1.0)
        reached = []

        def die(name: str) -> None:
            reached.append(name)
            if reached.count(step) == 2:
                raise KeyboardInterrupt

        job_id = request(database, notes)
        with pytest.raises(KeyboardInterrupt):
            evictor(database, settings, checkpoint=die).drain()
        assert len(titles(database, notes)) == (3 if step == "evicting" else 1)
        assert miscounted(database, notes) == []
        with database.open_space(notes.tenant_id, notes.space_id) as space:
            space.connection.execute(
                "UPDATE job SET lease_until = now() - interval '1 s' WHERE state = 'running'"
            )
        runner = evictor(database, settings)
        sweep_and_wake_if_jobs_wait(database)
        runner.drain()
        job = job_of(database, notes, job_id)
        assert (job.state, job.counts["evicted"]) == ("done", 5)
        assert titles(database, notes) == {}
        assert miscounted(database, notes) == []

    def test_a_worker_that_lost_its_claim_evicts_nothing_more(
        self, database: Database, settings: Settings, notes: Home, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(memory_job, "BATCH_CHUNKS", 2)
        set_policy(database, notes, eviction="ttl", eviction_ttl_days=1.0)

        def fence_off(step: str) -> None:
            if step == "evicted":
                with database.open_space(notes.tenant_id, notes.space_id) as space:
                    queue.cancel_all_jobs_and_count(space)

        job = evict_now(database, settings, notes, checkpoint=fence_off)
        assert job.state == "cancelled"
        assert len(titles(database, notes)) == 3

    def test_it_stops_between_batches_when_the_worker_is_told_to(
        self, database: Database, settings: Settings, notes: Home, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(memory_job, "BATCH_CHUNKS", 2)
        set_policy(database, notes, eviction="ttl", eviction_ttl_days=1.0)
        stop = []
        job_id = request(database, notes)
        runner = evictor(
            database,
            settings,
            checkpoint=lambda step: stop.append(step) if step == "evicted" else None,
            stop_requested=lambda: bool(stop),
        )
        runner.drain()
        assert job_of(database, notes, job_id).state == "queued"
        assert len(titles(database, notes)) == 3

    def test_more_than_are_chosen_at_once_go_all_the_same(
        self, database: Database, settings: Settings, notes: Home, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(memory_job, "MAX_SELECTED_CHUNKS", 2)
        set_policy(database, notes, eviction="ttl", eviction_ttl_days=1.0)
        assert evict_now(database, settings, notes).counts["evicted"] == 5

    def test_where_all_that_were_examined_are_spared_it_looks_behind_them(
        self, database: Database, settings: Settings, home: Home, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        take_in(database, settings, home, claim=CLAIM["claim"])
        take_in(
            database,
            settings,
            home,
            **{f"note{n}": f"Nothing is claimed here, number {n}." for n in range(3)},
        )
        set_policy(database, home, eviction="capacity", eviction_max_chunks=1)
        first = plan_of(database, home, max_examined_chunks=1)
        assert (first.evictable, first.protected, first.more) == (0, 1, True)
        monkeypatch.setattr(memory_job, "MAX_SELECTED_CHUNKS", 1)
        assert evict_now(database, settings, home).counts["evicted"] == 3
        assert set(titles(database, home)) == {"claim"}


@pytest.mark.soak
def test_ingest_and_eviction_at_once_leave_a_whole_graph(
    database: Database, settings: Settings, home: Home
) -> None:
    """What was read is let go of as soon as it stands; new documents name the same things all the while."""
    set_policy(database, home, eviction="ttl", eviction_ttl_days=1e-9)
    reading = threading.Event()
    reading.set()

    def read() -> None:
        try:
            for number in range(10):
                bodies = {
                    f"plain{number} {part}": f"[Ada|Person] and [Part{number}{part}|Product]."
                    for part in range(4)
                }
                claim = f"[Ada|Person] created [Engine{number % 3}|Product]. Number {number}."
                take_in(database, settings, home, **bodies, **{f"claim{number}": claim})
        finally:
            reading.clear()

    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(read)
        while reading.is_set():
            # Nothing is claimed where the other one is just claiming.
            evict_now(database, settings, home)
        done.result()
    make_runner(database, settings, extractor=Scripted()).drain()
    assert evict_now(database, settings, home).state == "done"
    assert set(titles(database, home)) == {f"claim{number}" for number in range(10)}
    assert miscounted(database, home) == []
    with database.open_space(home.tenant_id, home.space_id) as space:
        jobs = [job for job in queue.list_jobs(space, limit=100_000) if job.started_at is not None]
        assert {job.state for job in jobs} == {"done"}
        assert sum(job.counts["evicted"] for job in jobs if job.kind == EvictChunks.kind) == 40
        assert all(edge.evidence for edge in graph.list_edges(space))


class TestScheduling:
    def test_soon_after_an_ingest_once_and_never_put_off(
        self, database: Database, settings: Settings, notes: Home
    ) -> None:
        set_policy(database, notes, eviction="capacity", eviction_max_chunks=4)
        take_in(database, settings, notes, one="[One|Product].")
        (job,) = waiting(database, notes)
        rest = (job.run_after - job.created_at).total_seconds()
        assert rest == pytest.approx(settings.eviction_delay, abs=1)
        take_in(database, settings, notes, two="[Two|Product].")
        (same,) = waiting(database, notes)
        assert (same.id, same.run_after) == (job.id, job.run_after)

    def test_every_day_again_by_a_job_that_waits_in_the_queue(
        self, database: Database, settings: Settings, notes: Home
    ) -> None:
        set_policy(database, notes, eviction="ttl", eviction_ttl_days=100.0)
        evict_now(database, settings, notes)
        (next_one,) = waiting(database, notes)
        rest = (next_one.run_after - next_one.created_at).total_seconds()
        assert rest == pytest.approx(scheduling.MAX_EVICTION_INTERVAL.total_seconds(), abs=1)
        assert rest == pytest.approx(86_400, abs=1)
        assert evictor(database, settings).drain() == 0
        take_in(database, settings, notes, one="[One|Product].")
        (same,) = waiting(database, notes)
        assert same.id == next_one.id
        assert same.run_after < next_one.run_after

    def test_the_next_day_is_planned_before_anything_can_go_wrong(
        self, database: Database, settings: Settings, notes: Home
    ) -> None:
        set_policy(database, notes, eviction="ttl", eviction_ttl_days=1.0)

        def fail(step: str) -> None:
            raise RuntimeError(step)

        assert evict_now(database, settings, notes, checkpoint=fail).state == "failed"
        assert len(waiting(database, notes)) == 1

    def test_a_space_that_gave_up_its_policy_is_left_in_peace(
        self, database: Database, settings: Settings, notes: Home
    ) -> None:
        set_policy(database, notes, eviction="ttl", eviction_ttl_days=1.0)
        job_id = request(database, notes)
        set_policy(database, notes)
        evictor(database, settings).drain()
        assert job_of(database, notes, job_id).state == "done"
        assert len(titles(database, notes)) == 5
        assert waiting(database, notes) == []

    def test_asking_twice_is_one_job_and_asking_otherwise_another(
        self, database: Database, settings: Settings, notes: Home
    ) -> None:
        set_policy(database, notes, eviction="ttl", eviction_ttl_days=1.0)
        jobs: list[JobId] = [request(database, notes), request(database, notes)]
        other = request(database, notes, including_last_evidence=True)
        assert jobs[0] == jobs[1] != other
