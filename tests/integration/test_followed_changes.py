"""The jobs that follow a change of a space: queued in its transaction, whichever door asked for it."""

from collections.abc import Callable, Sequence
from uuid import UUID

import pytest

from app.db.changes import Change
from app.db.database import Database
from app.db.session import SpaceSession
from app.extraction.shapes import ChunkText, FoundEntity, Vocabulary
from app.graph import service as graph
from app.graph.invalidation import service as invalidation
from app.graph.write import merges, splits
from app.ids import ChunkId, DocumentId, EdgeId, NodeId
from app.ingest import service as ingest
from app.jobs import queue
from app.jobs.kinds import DetectCommunities, EvictChunks, RefreshSummaries
from app.jobs.states import JobState
from app.settings import Settings
from app.space_settings import Eviction, SpaceSettings
from app.tenancy.spaces import service as spaces
from tests.conftest import Home, under
from tests.support.contradictions import LONDON_2021, PARIS_2019, declare
from tests.support.ingest import ingest_now, make_runner, submit, text
from tests.support.sampling import sampled
from tests.support.scripted_extractor import Scripted

LOOKS = sorted([DetectCommunities.kind, RefreshSummaries.kind])
ONE = "SELECT id FROM {} WHERE knowledge_space_id = %s ORDER BY id LIMIT 1"


class Undone(Exception):
    """Somebody changed their mind."""


@pytest.fixture
def wired(database: Database, settings: Settings) -> Database:
    """The database as doors have it, where summaries are wanted."""
    return under(database, settings.model_copy(update={"summaries": True}))


@pytest.fixture
def filled(wired: Database, settings: Settings, home: Home) -> Home:
    """A graph of two contradicting documents, whose own jobs have been taken out of the queue."""
    ingest_now(wired, settings, home, [PARIS_2019, LONDON_2021, text("Ada Lovelace works for Bob Stone.")])
    waiting(wired, home)
    return home


def waiting(database: Database, home: Home) -> list[str]:
    """The kinds of the space's queued jobs; each is cancelled."""
    with database.open_space(home.tenant_id, home.space_id) as space:
        found = [job for job in queue.list_jobs(space) if job.state == JobState.QUEUED]
        queue.cancel_all_jobs_and_count(space)
    return sorted(job.kind for job in found)


def first(space: SpaceSession, table: str) -> UUID:
    found: UUID = space.connection.execute(ONE.format(table).encode(), [space.space_id]).fetchall()[0][0]
    return found


def remove_document(space: SpaceSession) -> None:
    ingest.delete_document_with_all_its_words(space, DocumentId(first(space, "document")))


def remove_chunks(space: SpaceSession) -> None:
    ingest.lock_chunks_and_graph(space)
    ingest.evict_chunks(space, [ChunkId(first(space, "knowledge_chunk"))])


def merge(space: SpaceSession) -> None:
    one, other, *_ = graph.list_nodes(space)
    merges.merge_nodes_by_person(space, one.id, other.id, actor="test")


def merge_and_undo(space: SpaceSession) -> None:
    one, other, *_ = graph.list_nodes(space)
    made = merges.merge_nodes_by_person(space, one.id, other.id, actor="test")
    merges.unmerge_nodes_by_person(space, made.id, actor="test")


def split(space: SpaceSession) -> None:
    (acme,) = [node for node in graph.list_nodes(space) if node.canonical_name == "Acme Corporation"]
    document = DocumentId(first(space, "document"))
    splits.split_node_by_person(space, acme.id, "archive", document_ids=[document], actor="test")


def invalidate(space: SpaceSession) -> None:
    invalidation.end_claim_by_person(space, EdgeId(first(space, "graph_edge")), reason="wrong", actor="test")


def invalidate_and_restore(space: SpaceSession) -> None:
    invalidate(space)
    invalidation.undo_ending_decision(space, EdgeId(first(space, "graph_edge")), actor="test")


CHANGES = [remove_document, remove_chunks, merge, merge_and_undo, split, invalidate, invalidate_and_restore]


class TestAChangeOfTheGraph:
    @pytest.mark.parametrize("change", CHANGES)
    def test_has_communities_and_summaries_look_again(
        self, wired: Database, filled: Home, change: Callable[[SpaceSession], None]
    ) -> None:
        with wired.open_space(filled.tenant_id, filled.space_id) as space:
            change(space)
        assert waiting(wired, filled) == LOOKS

    @pytest.mark.parametrize("change", sampled(CHANGES, every=4))
    def test_leaves_no_job_where_it_is_rolled_back(
        self, wired: Database, filled: Home, change: Callable[[SpaceSession], None]
    ) -> None:
        with pytest.raises(Undone), wired.open_space(filled.tenant_id, filled.space_id) as space:
            change(space)
            raise Undone
        assert waiting(wired, filled) == []

    @pytest.mark.parametrize("change", CHANGES)
    def test_cannot_be_committed_where_nobody_said_what_follows(
        self, database: Database, settings: Settings, filled: Home, change: Callable[[SpaceSession], None]
    ) -> None:
        unwired = Database(database.engine, settings)
        revision = spaces.get_open_space_row
        with unwired.open_space(filled.tenant_id, filled.space_id) as space:
            before = revision(space).graph_revision
        with (
            pytest.raises(RuntimeError, match="Nobody said what follows"),
            unwired.open_space(filled.tenant_id, filled.space_id) as space,
        ):
            change(space)
        with unwired.open_space(filled.tenant_id, filled.space_id) as space:
            assert revision(space).graph_revision == before


def test_claims_ended_by_date_have_them_look_again(wired: Database, filled: Home) -> None:
    declare(wired, filled)
    with wired.open_space(filled.tenant_id, filled.space_id) as space:
        ended, _ = invalidation.end_conflicts_by_date(space)
    assert ended == 1
    assert waiting(wired, filled) == LOOKS
    with wired.open_space(filled.tenant_id, filled.space_id) as space:
        assert invalidation.end_conflicts_by_date(space)[0] == 0
    assert waiting(wired, filled) == []


def test_several_changes_of_one_transaction_are_followed_once(wired: Database, filled: Home) -> None:
    with wired.open_space(filled.tenant_id, filled.space_id) as space:
        remove_document(space)
        invalidate(space)
    assert waiting(wired, filled) == LOOKS


def test_what_follows_is_part_of_the_change(database: Database, settings: Settings, filled: Home) -> None:
    """A job that cannot be queued takes the change back: the graph never runs ahead of who looks at it."""

    def refuse(_space: SpaceSession) -> None:
        raise Undone

    broken = Database(database.engine, settings, consequences={Change.GRAPH: refuse})
    with broken.open_space(filled.tenant_id, filled.space_id) as space:
        documents = len(space.connection.execute("SELECT id FROM document").fetchall())
    with pytest.raises(Undone), broken.open_space(filled.tenant_id, filled.space_id) as space:
        remove_document(space)
    with broken.open_space(filled.tenant_id, filled.space_id) as space:
        assert len(space.connection.execute("SELECT id FROM document").fetchall()) == documents


class Breaking(Scripted):
    """Asks a model, by code with a bug: a job fails by it, and what it wrote before is in the graph."""

    def ask_entities(self, chunks: Sequence[ChunkText], _vocabulary: Vocabulary) -> Scripted:
        if any("BREAK" in chunk.text for chunk in chunks):
            raise ZeroDivisionError
        return self

    def ask_attributes(
        self,
        _chunks: Sequence[ChunkText],
        entities: Sequence[tuple[FoundEntity, ...]],
        _vocabulary: Vocabulary,
    ) -> list[tuple[FoundEntity, ...]]:
        return list(entities)

    def ask_relations(
        self,
        _chunks: Sequence[ChunkText],
        _entities: Sequence[tuple[FoundEntity, ...]],
        _vocabulary: Vocabulary,
    ) -> Scripted:
        return self


def has_failed(database: Database, home: Home) -> bool:
    """Whether the space's ingest ended as failed."""
    with database.open_space(home.tenant_id, home.space_id) as space:
        return any(job.state == JobState.FAILED for job in queue.list_jobs(space))


def test_an_ingest_has_them_look_at_its_end(wired: Database, settings: Settings, home: Home) -> None:
    ingest_now(wired, settings, home, [text("Ada Lovelace works for Bob Stone.")])
    assert waiting(wired, home) == LOOKS


def test_an_ingest_that_failed_has_them_look_at_what_it_wrote(
    wired: Database, settings: Settings, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else a graph of half a job would stay without communities until somebody writes again."""
    bodies = [f"[Ada{n}|Person] knows [Bob{n}|Person]." for n in range(64)]
    submit(wired, home, *(text(body, title=body, source_uri=body) for body in (*bodies, "BREAK")))
    make_runner(wired, settings.model_copy(update={"summaries": True}), extractor=Breaking()).drain()
    with wired.open_space(home.tenant_id, home.space_id) as space:
        assert len(graph.list_nodes(space)) > 1
    assert has_failed(wired, home)
    assert waiting(wired, home) == LOOKS


def test_an_ingest_that_failed_before_it_wrote_has_nobody_look(
    wired: Database, settings: Settings, home: Home
) -> None:
    submit(wired, home, text("BREAK"))
    make_runner(wired, settings, extractor=Breaking()).drain()
    assert has_failed(wired, home)
    assert waiting(wired, home) == []


class TestGrowth:
    def test_an_ingest_lets_the_space_evict(self, wired: Database, settings: Settings, home: Home) -> None:
        declare(wired, home, SpaceSettings(eviction=Eviction.CAPACITY, eviction_max_chunks=1))
        ingest_now(wired, settings, home, [text("Ada Lovelace works for Bob Stone.")])
        assert waiting(wired, home) == sorted([*LOOKS, EvictChunks.kind])

    def test_other_settings_let_the_space_evict(self, wired: Database, filled: Home) -> None:
        ttl = {"eviction": "ttl", "eviction_ttl_days": 9.0}
        spaces.update_space(wired, filled.tenant_id, filled.space_id, actor="test", setting_changes=ttl)
        assert waiting(wired, filled) == [EvictChunks.kind]

    def test_another_name_does_not(self, wired: Database, filled: Home) -> None:
        declare(wired, filled, SpaceSettings(eviction=Eviction.TTL, eviction_ttl_days=9.0))
        spaces.update_space(wired, filled.tenant_id, filled.space_id, actor="test", name="another")
        assert waiting(wired, filled) == []


class TestRecalls:
    @pytest.fixture
    def noted(self, wired: Database) -> list[tuple[object, str]]:
        found: list[tuple[object, str]] = []
        wired.record_recall_after_commit = lambda _tenant, space, given: found.append(
            (space, type(given).__name__)
        )
        return found

    def test_what_a_service_gives_is_recorded_after_the_commit(
        self, wired: Database, filled: Home, noted: list[tuple[object, str]]
    ) -> None:
        with wired.open_space(filled.tenant_id, filled.space_id) as space:
            node = NodeId(first(space, "graph_node"))
            graph.explain_and_record_recall(space, question="Where is Acme Corporation located?")
            graph.fetch_neighborhood_and_record_recall(space, node)
            graph.fetch_neighbors_and_record_recall(space, [node])
            assert noted == []
        assert noted == [
            (filled.space_id, "Explanation"),
            (filled.space_id, "Neighborhood"),
            (filled.space_id, "Neighborhood"),
        ]

    def test_what_nobody_received_is_not(
        self, wired: Database, filled: Home, noted: list[tuple[object, str]]
    ) -> None:
        with pytest.raises(Undone), wired.open_space(filled.tenant_id, filled.space_id) as space:
            graph.explain_and_record_recall(space, question="Where is Acme Corporation located?")
            raise Undone
        assert noted == []
