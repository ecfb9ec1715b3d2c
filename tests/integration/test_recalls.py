"""Recalls recorded beside the requests (requirement 12.1): bounded, merged, written in order, lost only by
count.
"""

import random
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import psycopg
import pytest
from sqlalchemy import URL

from app.answers.service import Answerer
from app.answers.shapes import FinalAnswer, Question
from app.db.database import Database
from app.db.engine import convert_to_conninfo, create_app_engine
from app.derived.eviction import recall_recording
from app.derived.eviction.recall_recording import RecallRecorder, list_recalls_of_retrieval
from app.derived.eviction.shapes import ReturnedResults
from app.graph import service as graph
from app.ids import ChunkId, EdgeId, create_id
from app.llm.embedding.embedders import Embedders
from app.retrieval.service import Retriever
from app.retrieval.shapes import Query
from app.settings import Settings
from app.tenancy.spaces import service as spaces
from app.tenancy.tenants import service as tenants
from app.wiring import open_database
from tests.conftest import Home
from tests.support.evictions import take_in, titles
from tests.support.ingest import ingest_now, text
from tests.workers.conftest import wait_until

NEVER = 3_600.0
"""Seconds between two writes that no test waits for."""
CLAIM = "[Ada|Person] created [Engine|Product]."
QUESTION = Query("What did Ada create?")

Rows = list[tuple[Any, ...]]


class Clock:
    """Stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def filled(database: Database, settings: Settings, home: Home) -> Home:
    """One claim and ten notes."""
    take_in(database, settings, home, claim=CLAIM, **{f"note{n}": f"[Note{n}|Product]." for n in range(10)})
    return home


@pytest.fixture
def recorder(database: Database) -> Iterator[RecallRecorder]:
    """One that writes when it is told to."""
    made = RecallRecorder(database, interval_seconds=NEVER)
    yield made
    made.close()


def rows(database: Database, home: Home, table: str = "chunk_recall") -> dict[Any, tuple[int, float, float]]:
    """For each chunk or edge how often, the sum of scores, and seconds since the last recall."""
    with database.open_space(home.tenant_id, home.space_id) as space:
        return {
            row[0]: (row[1], row[2], float(row[3]))
            for row in space.connection.execute(
                f"SELECT {table.split('_', maxsplit=1)[0]}_id, recall_count, total_score,"
                f" extract(epoch FROM clock_timestamp() - last_recalled_at) FROM {table}"
                " WHERE knowledge_space_id = %s",
                [home.space_id],
            ).fetchall()
        }


def queries(database: Database, home: Home) -> int:
    with database.open_tenant(home.tenant_id) as tenant:
        return sum(usage.queries for usage in tenants.list_daily_usage(tenant, days=2))


def edge_of(database: Database, home: Home) -> EdgeId:
    with database.open_space(home.tenant_id, home.space_id) as space:
        (edge,) = graph.list_edges(space)
    return edge.id


class TestRecording:
    def test_12_1_count_total_score_and_last_time_per_chunk_and_edge(
        self, database: Database, filled: Home
    ) -> None:
        clock = Clock()
        recorder = RecallRecorder(database, interval_seconds=NEVER, clock=clock)
        chunk, edge = titles(database, filled)["claim"], edge_of(database, filled)
        recorder.record_returned_results(*owner(filled), ReturnedResults({chunk: 0.5}, {edge: 1.0}))
        clock.now += 500
        recorder.record_returned_results(*owner(filled), ReturnedResults({chunk: 0.25}))
        clock.now += 100
        assert rows(database, filled) == {}
        assert recorder.flush()
        ((count, total, age),) = rows(database, filled).values()
        assert (count, total) == (2, 0.75)
        assert 100 <= age < 160
        ((count, total, age),) = rows(database, filled, "edge_recall").values()
        assert (count, total) == (1, 1.0)
        assert 600 <= age < 660
        recorder.record_returned_results(*owner(filled), ReturnedResults({chunk: 1.0}))
        recorder.close()
        ((count, total, age),) = rows(database, filled).values()
        assert (count, total) == (3, 1.75)
        assert age < 60

    def test_a_thread_writes_by_itself_and_an_end_in_good_order_writes_the_rest(
        self, database: Database, filled: Home
    ) -> None:
        others = set(threading.enumerate())
        recorder = RecallRecorder(database, interval_seconds=0.05)
        chunk = titles(database, filled)["note1"]
        recorder.record_returned_results(*owner(filled), ReturnedResults({chunk: 1.0}))
        wait_until(lambda: rows(database, filled).get(chunk), what="the thread to write")
        recorder.close()
        assert "recalls" not in [thread.name for thread in set(threading.enumerate()) - others]
        late = RecallRecorder(database, interval_seconds=NEVER)
        late.record_returned_results(*owner(filled), ReturnedResults({chunk: 1.0}))
        late.close()
        assert rows(database, filled)[chunk][0] == 2

    def test_what_is_gone_or_of_another_space_is_left_out(
        self, database: Database, settings: Settings, filled: Home, twin: Home, recorder: RecallRecorder
    ) -> None:
        take_in(database, settings, twin, claim=CLAIM)
        own, other = titles(database, filled)["claim"], titles(database, twin)["claim"]
        unknown = ChunkId(create_id())
        recorder.record_returned_results(
            *owner(filled), ReturnedResults({own: 1.0, other: 1.0, unknown: 1.0})
        )
        recorder.record_returned_results(*owner(twin), ReturnedResults({own: 1.0}))
        assert recorder.flush()
        assert set(rows(database, filled)) == {own}
        assert rows(database, twin) == {}
        assert (queries(database, filled), queries(database, twin)) == (1, 1)

    def test_a_dead_space_is_dropped_and_the_others_are_written(
        self, database: Database, filled: Home, twin: Home, recorder: RecallRecorder
    ) -> None:
        chunk = titles(database, filled)["claim"]
        recorder.record_returned_results(
            *owner(twin), ReturnedResults({chunk: 1.0, ChunkId(create_id()): 1.0})
        )
        recorder.record_returned_results(*owner(filled), ReturnedResults({chunk: 1.0}))
        spaces.delete_space(database, twin.tenant_id, twin.space_id, actor="test")
        assert recorder.flush()
        assert rows(database, filled)[chunk][0] == 1
        assert (recorder.dropped_count, recorder.unwritten_tally_count) == (3, 0)

    def test_what_the_database_does_not_take_now_is_kept_and_no_request_hears_of_it(
        self, settings: Settings, filled: Home, privileged_url: URL
    ) -> None:
        assert settings.database_url is not None
        hasty = settings.model_copy(update={"lock_timeout": 0.1})
        database = open_database(settings.database_url, hasty)
        recorder = RecallRecorder(database, interval_seconds=NEVER)
        chunk = titles(database, filled)["claim"]
        recorder.record_returned_results(*owner(filled), ReturnedResults({chunk: 1.0}))
        with psycopg.connect(convert_to_conninfo(privileged_url)) as other:
            other.execute("LOCK TABLE chunk_recall")
            assert not recorder.flush()
            recorder.record_returned_results(*owner(filled), ReturnedResults({chunk: 1.0}))
        assert (recorder.unwritten_tally_count, recorder.dropped_count) == (1, 0)
        with psycopg.connect(convert_to_conninfo(privileged_url)) as other:
            other.execute("LOCK TABLE usage_daily")
            assert not recorder.flush()
        assert recorder.unwritten_tally_count == 0
        assert recorder.flush()
        assert rows(database, filled)[chunk][0] == 2
        assert queries(database, filled) == 2
        database.dispose()

    def test_a_database_that_is_down_costs_a_request_nothing(self, settings: Settings, home: Home) -> None:
        nowhere = "postgresql://nobody@127.0.0.1:1/none"
        database = open_database(nowhere, settings)
        recorder = RecallRecorder(database, interval_seconds=NEVER)
        recorder.record_returned_results(*owner(home), ReturnedResults({ChunkId(create_id()): 1.0}))
        assert not recorder.flush()
        assert (recorder.unwritten_tally_count, recorder.dropped_count) == (1, 0)
        recorder.close()
        database.dispose()


class TestBounds:
    def test_a_flood_is_bounded_and_what_finds_no_room_is_counted(
        self, home: Home, settings: Settings
    ) -> None:
        """The thread is kept from writing: its database refuses."""
        database = Database(create_app_engine("postgresql://nobody@127.0.0.1:1/none", settings), settings)
        recorder = RecallRecorder(database, interval_seconds=NEVER, max_tallies=1_000)
        known = [ChunkId(create_id()) for _ in range(500)]
        noted = 0
        for number in range(100):
            chunks = {ChunkId(create_id()): 1.0 for _ in range(50)} | dict.fromkeys(known[:10], 1.0)
            recorder.record_returned_results(
                *owner(home), ReturnedResults(chunks, {EdgeId(create_id()): 1.0})
            )
            noted += len(chunks) + 1
            assert recorder.unwritten_tally_count <= 1_000, number
        recorder.flush()
        assert recorder.unwritten_tally_count <= 1_000
        assert 0 < recorder.dropped_count < noted
        recorder.close()
        database.dispose()

    def test_a_full_buffer_is_written_before_its_time(self, database: Database, filled: Home) -> None:
        recorder = RecallRecorder(database, interval_seconds=NEVER, max_tallies=4)
        chunks = [titles(database, filled)[f"note{number}"] for number in range(2)]
        for chunk in chunks:
            recorder.record_returned_results(*owner(filled), ReturnedResults({chunk: 1.0}))
        wait_until(lambda: set(rows(database, filled)) == set(chunks), what="an early write")
        recorder.close()
        assert recorder.dropped_count == 0

    def test_spaces_are_bounded_too(
        self, database: Database, filled: Home, twin: Home, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(recall_recording, "MAX_SPACES", 1)
        recorder = RecallRecorder(database, interval_seconds=NEVER)
        chunk = titles(database, filled)["claim"]
        recorder.record_returned_results(*owner(filled), ReturnedResults({chunk: 1.0}))
        recorder.record_returned_results(*owner(twin), ReturnedResults({chunk: 1.0}))
        recorder.record_returned_results(*owner(filled), ReturnedResults({chunk: 1.0}))
        assert recorder.dropped_count == 2
        recorder.close()
        assert rows(database, filled)[chunk][0] == 2

    def test_an_answer_closed_in_the_middle_of_a_note_is_noted(
        self, database: Database, filled: Home
    ) -> None:
        """The collector may close a stream wherever it likes, also where the same thread holds the buffer."""
        recorder = RecallRecorder(database, interval_seconds=NEVER)
        chunk = titles(database, filled)["claim"]

        class Closing(dict[ChunkId, float]):
            def items(self) -> Any:
                recorder.record_returned_results(*owner(filled), ReturnedResults({chunk: 0.25}))
                return super().items()

        recorder.record_returned_results(*owner(filled), ReturnedResults(Closing({chunk: 0.5})))
        recorder.close()
        assert rows(database, filled)[chunk][:2] == (2, 0.75)
        assert queries(database, filled) == 2


class TestManyAtOnce:
    def test_flushes_of_overlapping_sets_and_deletes_meet_in_no_deadlock(
        self, database: Database, filled: Home, privileged_url: URL
    ) -> None:
        """Eight processes' buffers in random order, while half of the chunks are deleted in random order
        too.
        """
        chunks = [chunk for title, chunk in titles(database, filled).items() if title != "claim"]
        kept, going = chunks[:5], chunks[5:]
        edge = edge_of(database, filled)

        def deadlocks() -> int:
            with psycopg.connect(convert_to_conninfo(privileged_url), autocommit=True) as connection:
                found = connection.execute(
                    "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"
                ).fetchone()
            assert found is not None
            return int(found[0])

        def flush_often(seed: int) -> int:
            recorder, chance = RecallRecorder(database, interval_seconds=NEVER), random.Random(seed)
            for _ in range(20):
                chance.shuffle(chunks_here := list(chunks))
                recorder.record_returned_results(
                    *owner(filled), ReturnedResults(dict.fromkeys(chunks_here, 0.5), {edge: 1.0})
                )
                assert recorder.flush()
            return recorder.dropped_count

        def delete_in_disorder() -> int:
            for begin in (0, 3):
                with database.open_space(*owner(filled)) as space:
                    for chunk in reversed(going[begin : begin + 3]):
                        space.connection.execute(
                            "DELETE FROM knowledge_chunk WHERE knowledge_space_id = %s AND id = %s",
                            [filled.space_id, chunk],
                        )
            return 0

        before = deadlocks()
        with ThreadPoolExecutor(9) as pool:
            works: list[Callable[[], int]] = [lambda seed=seed: flush_often(seed) for seed in range(8)]  # type: ignore[misc]
            assert sum(pool.map(lambda work: work(), [*works, delete_in_disorder])) == 0
        assert deadlocks() == before
        found = rows(database, filled)
        assert {chunk: found[chunk][:2] for chunk in kept} == dict.fromkeys(kept, (160, 80.0))
        assert set(found) == set(kept)
        assert rows(database, filled, "edge_recall")[edge][:2] == (160, 160.0)
        assert queries(database, filled) == 160


class TestUse:
    def retriever(self, database: Database) -> Retriever:
        return Retriever(database, Embedders(), Settings())

    def test_9_4_the_usage_boost_and_the_decay_of_a_fact_go_by_its_recalls(
        self, database: Database, filled: Home
    ) -> None:
        """Nine recalls make 1 + 0.5 log10(10), and the last of them was eight weeks ago: seven past the
        grace.
        """
        retriever, edge = self.retriever(database), edge_of(database, filled)
        (fresh,) = retriever.retrieve_and_record_recalls(*owner(filled), QUESTION).facts
        assert (fresh.breakdown["usage"], fresh.breakdown["decay"]) == (1.0, 1.0)
        with database.open_space(*owner(filled)) as space:
            space.connection.execute(
                "INSERT INTO edge_recall VALUES (%s, %s, 9, 9, now() - interval '8 weeks')",
                [filled.space_id, edge],
            )
        (used,) = self.retriever(database).retrieve_and_record_recalls(*owner(filled), QUESTION).facts
        assert used.breakdown["usage"] == pytest.approx(1.5)
        assert used.breakdown["decay"] == pytest.approx(0.95**7, rel=1e-4)

    def test_recording_sends_no_statement_within_the_request(
        self, database: Database, filled: Home, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        sent: list[str] = []
        execute = psycopg.Cursor.execute

        def counted(self: Any, query: Any, *arguments: Any, **options: Any) -> Any:
            sent.append(threading.current_thread().name)
            return execute(self, query, *arguments, **options)

        monkeypatch.setattr(psycopg.Cursor, "execute", counted)
        retriever, recorder = self.retriever(database), RecallRecorder(database, interval_seconds=NEVER)
        found = retriever.retrieve_and_record_recalls(*owner(filled), QUESTION)
        without = len(sent)
        assert without > 5
        recorder.record_returned_results(*owner(filled), list_recalls_of_retrieval(found))
        assert len(sent) == without
        assert recorder.unwritten_tally_count >= 2
        recorder.close()
        assert len(sent) > without

    def test_an_answer_recalls_what_was_found_and_what_it_cites_at_full_score(
        self, database: Database, settings: Settings, home: Home, recorder: RecallRecorder
    ) -> None:
        # Read by rules: quotes are sentences, and the notation of the other tests is none.
        filled = home
        ingest_now(database, settings, home, [text("Ada Lovelace created Kettle Engine.", title="claim")])
        answerer = Answerer(database, self.retriever(database), None)
        database.record_recall_after_commit = recorder.record_service_result
        *_, answered = answerer.ask(*owner(filled), Question("What did Ada Lovelace create?"))
        assert isinstance(answered, FinalAnswer)
        assert recorder.flush()
        found = rows(database, filled)
        cited = {citation.chunk_id for citation in answered.citations}
        assert titles(database, filled)["claim"] in cited
        assert all(found[chunk][:2] == (1, 1.0) for chunk in cited)
        assert rows(database, filled, "edge_recall").keys() == {edge_of(database, filled)}
        assert queries(database, filled) == 1

    def test_an_answer_that_nobody_waits_for_recalls_what_was_found(
        self, database: Database, filled: Home, recorder: RecallRecorder
    ) -> None:
        answerer = Answerer(database, self.retriever(database), None)
        database.record_recall_after_commit = recorder.record_service_result
        events = answerer.ask(*owner(filled), Question(QUESTION.text))
        next(events)
        assert recorder.unwritten_tally_count == 0
        events.close()
        assert recorder.unwritten_tally_count >= 2

    def test_a_recall_goes_with_its_chunk_and_edge(self, database: Database, filled: Home) -> None:
        recorder = RecallRecorder(database, interval_seconds=NEVER)
        chunk, edge = titles(database, filled)["claim"], edge_of(database, filled)
        recorder.record_returned_results(*owner(filled), ReturnedResults({chunk: 1.0}, {edge: 1.0}))
        recorder.close()
        with database.open_space(*owner(filled)) as space:
            for table in ("graph_edge", "knowledge_chunk"):
                space.connection.execute(
                    f"DELETE FROM {table} WHERE knowledge_space_id = %s".encode(), [filled.space_id]
                )
        assert rows(database, filled) == rows(database, filled, "edge_recall") == {}


def owner(home: Home) -> tuple[Any, Any]:
    return home.tenant_id, home.space_id


def test_ages_are_never_negative(database: Database, filled: Home) -> None:
    """A recall is not in the future, whichever way a process' clock went."""
    clock = Clock()
    recorder = RecallRecorder(database, interval_seconds=NEVER, clock=clock)
    chunk = titles(database, filled)["claim"]
    recorder.record_returned_results(*owner(filled), ReturnedResults({chunk: 1.0}))
    clock.now -= timedelta(days=1).total_seconds()
    recorder.close()
    assert rows(database, filled)[chunk][2] >= 0
