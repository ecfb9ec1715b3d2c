"""A space's vectors move into partitions of its own and back while others read and write.

No row is lost, none is left, and what it does afterwards is what a space does that never moved.
"""

import threading
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import psycopg
import pytest
from psycopg import sql
from sqlalchemy import URL

from app.db.database import Database
from app.db.engine import convert_to_conninfo
from app.db.roles import MIGRATOR
from app.db.session import SpaceSession
from app.db.vectors import moves
from app.db.vectors.maintenance import maintain_vectors, plan_vector_steps
from app.db.vectors.partitions import create_missing_partitions, read_partitions
from app.db.vectors.plan import SpaceVectors
from app.db.vectors.tables import KEYS, build_partition_name, lock_vector_tables_and_check_dedicated
from app.errors import ConfigurationError
from app.ids import ChunkId, DocumentId
from app.ingest import service as ingest
from app.retrieval import repository
from app.settings import Settings
from tests.conftest import Home
from tests.integration.test_vector_indexes import DIMENSIONS, fill, vectors
from tests.support.citus import NO_PARTITIONS
from tests.support.ingest import corpus, ingest_now, picture
from tests.workers.conftest import wait_until

pytestmark = pytest.mark.one_machine(NO_PARTITIONS)

Admin = psycopg.Connection[Any]
Keep = Callable[[int], list[str]]
STORED = """
SELECT 'chunk', c.content_hash, v.vector_set, v.embedding::text
FROM {chunks} v LEFT JOIN knowledge_chunk c ON c.id = v.chunk_id WHERE v.knowledge_space_id = %(space)s
UNION ALL
SELECT 'node', n.canonical_name, v.vector_set, v.embedding::text
FROM {nodes} v LEFT JOIN graph_node n ON n.id = v.node_id WHERE v.knowledge_space_id = %(space)s
UNION ALL
SELECT 'fact', e.extraction_key::text, v.vector_set, v.embedding::text
FROM {facts} v LEFT JOIN graph_edge e ON e.id = v.edge_id WHERE v.knowledge_space_id = %(space)s
ORDER BY 1, 2, 3, 4
"""


@pytest.fixture
def admin(privileged_url: URL) -> Any:
    with psycopg.connect(convert_to_conninfo(privileged_url), autocommit=True) as connection:
        yield connection


@pytest.fixture
def keep(database: Database, privileged_url: URL) -> Callable[[int], list[str]]:
    """Run the maintenance with that threshold; its acts come back."""
    url = privileged_url.render_as_string(hide_password=False)
    return lambda threshold: [step.act.name for step in maintain_vectors(database, url, threshold=threshold)]


def stored(admin: psycopg.Connection[Any], home: Home, *, dedicated: bool) -> list[tuple[Any, ...]]:
    """The space's vectors by what they are of, as the one place or the other has them."""
    prefix = "dedicated_" if dedicated else ""
    tables = {f"{kind}s": f"{prefix}{kind}_vector" for kind in ("chunk", "node", "fact")}
    return admin.execute(STORED.format(**tables).encode(), {"space": home.space_id}).fetchall()


def opened(database: Database, home: Home) -> Any:
    return database.open_space(home.tenant_id, home.space_id)


def store(space: SpaceSession, chunks: list[ChunkId], seed: int) -> None:
    """Write vectors of these chunks, as ingest does."""
    texts = [str(vector.round(4).tolist()) for vector in vectors(len(chunks), seed)]
    space.run("documents.insert_vectors", {"ids": chunks, "embeddings": texts, "into_set": 0})


def drop(space: SpaceSession, chunks: list[ChunkId]) -> None:
    """Remove the vectors of these chunks and leave the chunks."""
    space.connection.execute(
        sql.SQL("DELETE FROM {} WHERE chunk_id = ANY(%s)").format(sql.Identifier(place(space))), [chunks]
    )


def place(space: SpaceSession) -> str:
    """The table where the door says that the space's vectors of chunks are, and stay for this transaction."""
    space.opening_state = replace(
        space.opening_state,
        dedicated_vectors=lock_vector_tables_and_check_dedicated(
            space.connection, space.tenant_id, space.space_id
        ),
    )
    return (
        build_partition_name("chunk_vector", space.space_id)
        if space.opening_state.dedicated_vectors
        else "chunk_vector"
    )


@dataclass
class Mover:
    """Moves one space by hand."""

    database: Database
    owner: psycopg.Connection[Any]
    home: Home

    def described(self, *, dedicated: bool) -> SpaceVectors:
        home = self.home
        rows = {"chunk_vector": 1, "node_vector": 1}
        return SpaceVectors(home.tenant_id, home.space_id, 0, DIMENSIONS, dedicated, rows)

    def out(self) -> None:
        """Into partitions."""
        moves.move_vectors_to_partitions(
            self.database, self.owner, self.described(dedicated=False), threshold=1_000_000
        )

    def back(self) -> None:
        """Into the shared tables."""
        moves.move_vectors_to_shared_tables(self.database, self.owner, self.described(dedicated=True))


@pytest.fixture
def mover(database: Database, home: Home, privileged_url: URL) -> Iterator[Mover]:
    with psycopg.connect(convert_to_conninfo(privileged_url), autocommit=True) as owner:
        owner.execute(f"SET ROLE {MIGRATOR}".encode())
        yield Mover(database, owner, home)


@pytest.mark.soak
def test_a_space_in_partitions_does_what_one_in_the_shared_tables_does(
    database: Database, settings: Settings, home: Home, twin: Home, admin: Admin, mover: Mover
) -> None:
    """The same history of two spaces, one of which moves in the middle of it, and back at its end."""
    texts = corpus()
    for owner in (home, twin):
        ingest_now(database, settings, owner, texts[: len(texts) // 2])
    mover.out()
    assert len(stored(admin, home, dedicated=True)) > 100
    assert stored(admin, home, dedicated=True) == stored(admin, twin, dedicated=False)
    assert stored(admin, home, dedicated=False) == []
    for owner in (home, twin):
        ingest_now(database, settings, owner, texts[len(texts) // 2 :])
        with opened(database, owner) as space:
            found = space.connection.execute("SELECT id FROM document ORDER BY title LIMIT 3").fetchall()
        for (document,) in found:
            with opened(database, owner) as space:
                ingest.delete_document_with_all_its_words(space, DocumentId(document), prune=True)
    assert stored(admin, home, dedicated=True) == stored(admin, twin, dedicated=False)
    assert stored(admin, home, dedicated=False) == []
    assert picture(database, home) == picture(database, twin)
    mover.back()
    assert read_partitions(database.engine) == {}
    assert stored(admin, home, dedicated=False) == stored(admin, twin, dedicated=False)


def test_what_is_written_while_rows_are_copied_is_not_lost(
    database: Database, home: Home, admin: Admin, mover: Mover
) -> None:
    """New vectors, vectors that go or are made anew, and chunks that go, between the copy and the change."""
    replica(admin, lambda: fill(admin, home, 500, seed=1))
    some = chunks_of(database, home)
    partitions = mover.described(dedicated=False)
    create_missing_partitions(mover.owner, home.space_id)
    for table in KEYS:
        moves._copy_vectors(database, partitions, table, into_partition=True)
    with opened(database, home) as space:
        drop(space, some[:40])
        store(space, some[:20], seed=7)
        space.run("documents.lock_chunks", {"chunks": some[40:60]})
        space.connection.execute("DELETE FROM knowledge_chunk WHERE id = ANY(%s)", [some[40:60]])
    expected = stored(admin, home, dedicated=False)
    assert len(expected) == 460
    assert len(stored(admin, home, dedicated=True)) == 480
    mover.out()
    assert stored(admin, home, dedicated=True) == expected
    assert stored(admin, home, dedicated=False) == []


@pytest.mark.soak
def test_nobody_who_reads_or_writes_notices_the_moves(
    database: Database, home: Home, admin: Admin, mover: Mover
) -> None:
    """Writers and readers at work through six moves: each reader finds all, and each written row is there."""
    replica(admin, lambda: fill(admin, home, 300, seed=1))
    some = chunks_of(database, home)
    over, faults, counted = threading.Event(), [], Counter[str]()

    def write() -> None:
        number = 0
        while not over.is_set():
            number += 1
            part = some[number % 30 : number % 30 + 5]
            with opened(database, home) as space:
                drop(space, part)
            with opened(database, home) as space:
                store(space, part, seed=number)
            counted["writes"] += 1

    def read() -> None:
        (question,) = vectors(1, seed=9)
        while not over.is_set():
            with opened(database, home) as space:
                found = repository.find_nearest_chunks(space, question, limit=500)
            if not 295 <= len(found) <= 300 or len({chunk for chunk, _ in found}) != len(found):
                faults.append(f"{len(found)} chunks were found")
            counted["reads"] += 1

    def guarded(work: Callable[[], None]) -> None:
        try:
            work()
        except Exception as error:
            faults.append(repr(error))

    threads = [threading.Thread(target=guarded, args=(work,)) for work in (write, read)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(3):
            mover.out()
            mover.back()
    finally:
        over.set()
        for thread in threads:
            thread.join()
    assert faults == []
    assert min(counted["writes"], counted["reads"]) > 10
    with opened(database, home) as space:
        found = space.connection.execute("SELECT chunk_id FROM chunk_vector").fetchall()
    assert {chunk for (chunk,) in found} == set(some)
    assert stored(admin, home, dedicated=True) == []


def test_a_session_of_before_the_change_writes_where_the_space_is_then(
    database: Database, home: Home, admin: Admin, mover: Mover
) -> None:
    """And reads all until its end: what it knows of is not taken away while it is open."""
    replica(admin, lambda: fill(admin, home, 100, seed=1))
    some = chunks_of(database, home)
    with opened(database, home) as space:
        drop(space, some[:10])
    thread = threading.Thread(target=mover.out)
    with opened(database, home) as reader, opened(database, home) as writer:
        assert not reader.opening_state.dedicated_vectors
        thread.start()
        wait_until(lambda: is_dedicated(admin, home), what="the change")
        (question,) = vectors(1, seed=9)
        assert len(repository.find_nearest_chunks(reader, question, limit=200)) == 90
        store(writer, some[:10], seed=3)
        assert writer.opening_state.dedicated_vectors
        assert thread.is_alive()
    thread.join()
    assert len(stored(admin, home, dedicated=True)) == 100
    assert stored(admin, home, dedicated=False) == []


def is_dedicated(admin: Admin, home: Home) -> bool:
    asked = "SELECT dedicated_vectors FROM knowledge_space WHERE id = %s"
    return admin.execute(asked, [home.space_id]).fetchone() == (True,)


def replica(admin: Admin, work: Callable[[], None]) -> None:
    """Do it as a replica does: what refers to nothing is taken, and triggers rest."""
    admin.execute("SET session_replication_role = replica")
    work()
    admin.execute("SET session_replication_role = origin")


def chunks_of(database: Database, home: Home) -> list[ChunkId]:
    """The space's chunks, by id."""
    with opened(database, home) as space:
        found = space.connection.execute("SELECT id FROM knowledge_chunk ORDER BY id").fetchall()
        return [ChunkId(row[0]) for row in found]


class TestABrokenMove:
    """Whatever ended it, the space is whole, and the next maintenance sees what is left and ends it."""

    @pytest.fixture(autouse=True)
    def filled(self, admin: Admin, home: Home) -> None:
        replica(admin, lambda: fill(admin, home, 120, seed=1))

    def test_before_the_change_the_space_goes_on_as_it_was(
        self, database: Database, home: Home, admin: Admin, mover: Mover, keep: Keep
    ) -> None:
        create_missing_partitions(mover.owner, home.space_id)
        moves._copy_vectors(database, mover.described(dedicated=False), "chunk_vector", into_partition=True)
        assert [step.act.name for step in plan_vector_steps(database, threshold=100)] == ["MOVE"]
        assert [step.act.name for step in plan_vector_steps(database, threshold=200)] == ["DROP_PARTITIONS"]
        assert keep(200) == ["DROP_PARTITIONS"]
        assert len(stored(admin, home, dedicated=False)) == 120
        create_missing_partitions(mover.owner, home.space_id)
        assert keep(100) == ["MOVE"]
        assert len(stored(admin, home, dedicated=True)) == 120
        assert stored(admin, home, dedicated=False) == []

    def test_after_the_change_the_shared_rows_go(
        self, database: Database, home: Home, admin: Admin, mover: Mover, keep: Keep
    ) -> None:
        mover.out()
        replica(admin, lambda: copy_back(admin))
        assert keep(100) == ["CLEAR", "MAKE_INDEX"]
        assert stored(admin, home, dedicated=False) == []
        assert keep(100) == []

    def test_a_partition_that_was_lost_is_said_and_made_again(
        self, database: Database, home: Home, admin: Admin, mover: Mover, keep: Keep
    ) -> None:
        mover.out()
        own = build_partition_name("chunk_vector", home.space_id)
        admin.execute(f"DROP TABLE {own}".encode())
        (step,) = plan_vector_steps(database, threshold=100)
        assert step.act.name == "MOVE"
        assert own in step.reason
        assert "MOVE" in keep(100)
        with opened(database, home) as space:
            assert repository.find_nearest_chunks(space, vectors(1, seed=9)[0], limit=5) == []

    def test_vectors_of_two_lengths_leave_the_space_where_it_is(
        self, home: Home, admin: Admin, keep: Keep
    ) -> None:
        admin.execute(
            "UPDATE chunk_vector SET embedding = '[1,0]'"
            " WHERE chunk_id = (SELECT chunk_id FROM chunk_vector LIMIT 1)"
        )
        with pytest.raises(ConfigurationError, match="expected 256 dimensions"):
            keep(100)
        assert not is_dedicated(admin, home)
        assert len(stored(admin, home, dedicated=False)) == 120


def copy_back(admin: Admin) -> None:
    admin.execute("INSERT INTO chunk_vector SELECT * FROM dedicated_chunk_vector LIMIT 30")


class TestAPartitionOfASpace:
    def test_it_has_the_walls_of_its_pattern_for_who_names_it(
        self, database: Database, home: Home, twin: Home, admin: Admin, mover: Mover
    ) -> None:
        replica(admin, lambda: fill(admin, home, 20, seed=1))
        mover.out()
        own = build_partition_name("chunk_vector", home.space_id)
        with opened(database, twin) as space:
            assert space.connection.execute(f"SELECT count(*) FROM {own}".encode()).fetchone() == (0,)
        for stolen in (
            f"INSERT INTO {own} VALUES ('{home.space_id}', '{uuid.uuid4()}', 0, '[1]')",
            f"TRUNCATE {own}",
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege), opened(database, twin) as space:
                space.connection.execute(stolen.encode())
        with pytest.raises(psycopg.errors.CheckViolation):
            admin.execute(
                f"INSERT INTO {own} VALUES ('{twin.space_id}', '{uuid.uuid4()}', 0, '[1]')".encode()
            )
        with pytest.raises(psycopg.errors.ForeignKeyViolation):
            admin.execute(
                f"INSERT INTO {own} VALUES ('{home.space_id}', '{uuid.uuid4()}', 0, '[1]')".encode()
            )

    @pytest.mark.soak
    def test_a_small_space_pays_for_none_of_them(
        self, database: Database, home: Home, twin: Home, admin: Admin, mover: Mover
    ) -> None:
        """The locks of its search are the same with 40 spaces in partitions as with none."""
        replica(admin, lambda: fill(admin, twin, 20, seed=1))

        def locks(where: Home) -> int:
            with opened(database, where) as space:
                assert len(repository.find_nearest_chunks(space, vectors(1, seed=9)[0], limit=5)) == 5
                held = "SELECT count(DISTINCT relation) FROM pg_locks WHERE pid = pg_backend_pid()"
                counted = space.connection.execute(held).fetchone()
                assert counted
                return int(counted[0])

        alone = locks(twin)
        for _ in range(40):
            create_missing_partitions(mover.owner, uuid.uuid4())
        assert locks(twin) == alone
        replica(admin, lambda: fill(admin, home, 20, seed=2))
        mover.out()
        assert locks(home) == alone

    def test_a_deleted_space_leaves_none(
        self, database: Database, home: Home, admin: Admin, mover: Mover, keep: Keep
    ) -> None:
        """While the job that empties it is at work, and without waiting for it."""
        replica(admin, lambda: fill(admin, home, 50, seed=1))
        mover.out()
        with opened(database, home) as space:
            space.run("tenancy.spaces.close_space")
        assert keep(100) == ["DROP_PARTITIONS"]
        assert read_partitions(database.engine) == {}
        with database.open_space(home.tenant_id, home.space_id, may_be_closed=True) as space:
            assert not space.opening_state.dedicated_vectors
            space.connection.execute("DELETE FROM document")
            space.run("tenancy.spaces.delete_row_of_closed_space")
        assert keep(100) == []
