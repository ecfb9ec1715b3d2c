"""Vector indexes of large spaces, in partitions: made, used, mended and dropped by `citegraph maintain`, told
of by the doctor.
"""

import uuid
from collections.abc import Iterator
from typing import Any

import numpy as np
import psycopg
import pytest
from sqlalchemy import URL

from app.db.database import Database
from app.db.doctor.examination import examine_database
from app.db.engine import convert_to_conninfo
from app.db.session import SpaceSession
from app.db.sql import load_statement
from app.db.vectors.indexes import VectorIndex, build_index_name, read_vector_indexes
from app.db.vectors.maintenance import maintain_vectors
from app.db.vectors.partitions import read_partitions
from app.db.vectors.plan import SpaceVectors, plan_steps
from app.db.vectors.tables import KEYS, replace_tables_by_partitions
from app.errors import ConfigurationError
from app.ids import SpaceId, TenantId
from app.retrieval import repository
from app.tenancy.spaces import repository as spaces_repository
from tests.conftest import Home
from tests.support.citus import NO_PARTITIONS
from tests.support.schema.lint import lint

pytestmark = pytest.mark.new_database("plans depend on the pages that deleted rows leave")

THRESHOLD, CHUNKS, DIMENSIONS = 1_000, 3_000, 256
SPACE = uuid.UUID(int=1)


def vectors(rows: int, seed: int) -> np.ndarray[Any, np.dtype[np.float32]]:
    """Unit vectors around 30 topics, the same topics for every seed."""
    topics = np.random.default_rng(0).standard_normal((30, DIMENSIONS))
    random = np.random.default_rng(seed)
    found = topics[random.integers(0, 30, rows)] + 0.7 * random.standard_normal((rows, DIMENSIONS))
    unit: np.ndarray[Any, np.dtype[np.float32]] = (found / np.linalg.norm(found, axis=1)[:, None]).astype(
        np.float32
    )
    return unit


def fill(connection: psycopg.Connection[Any], home: Home, rows: int, seed: int) -> None:
    """Chunks with vectors, and nothing else that a search for vectors reads."""
    document, chunks = uuid.uuid4(), [uuid.uuid4() for _ in range(rows)]
    connection.execute(
        "INSERT INTO document (knowledge_space_id, id, title, source_kind, format, content_hash, byte_size,"
        " state) VALUES (%s, %s, 'Handbook', 'file', 'text', %s, 1, 'ready')",
        (home.space_id, document, document.hex),
    )
    with connection.cursor().copy(
        "COPY knowledge_chunk (knowledge_space_id, id, document_id, ordinal, text, char_start, char_end,"
        " heading_path, token_count, content_hash) FROM STDIN"
    ) as copy:
        for place, chunk in enumerate(chunks):
            copy.write_row(
                (home.space_id, chunk, document, place, "x", place, place + 1, [], 1, str(place))
            )  # fmt: skip
    with connection.cursor().copy(
        "COPY chunk_vector (knowledge_space_id, chunk_id, embedding) FROM STDIN"
    ) as copy:
        for chunk, vector in zip(chunks, vectors(rows, seed), strict=True):
            copy.write_row((home.space_id, chunk, str(vector.round(4).tolist())))


@pytest.fixture
def admin(privileged_url: URL, home: Home, twin: Home) -> Iterator[psycopg.Connection[Any]]:
    """A superuser beside two tenants: one with a large space, one with a small one on the same topics."""
    with psycopg.connect(convert_to_conninfo(privileged_url), autocommit=True) as connection:
        connection.execute("SET session_replication_role = replica")
        fill(connection, home, CHUNKS, seed=1)
        fill(connection, twin, 120, seed=2)
        connection.execute("ANALYZE chunk_vector")
        yield connection


@pytest.fixture
def keep(database: Database, privileged_url: URL) -> Any:
    """Run the maintenance; the texts of its steps come back."""
    url = privileged_url.render_as_string(hide_password=False)

    def keep(**options: Any) -> list[str]:
        return [str(step) for step in maintain_vectors(database, url, threshold=THRESHOLD, **options)]

    return keep


def opened(database: Database, home: Home) -> Any:
    return database.open_space(home.tenant_id, home.space_id)


def nearest(space: SpaceSession, limit: int, questions: int = 25) -> list[list[Any]]:
    return [
        [chunk for chunk, _ in repository.find_nearest_chunks(space, vector, limit=limit)]
        for vector in vectors(questions, seed=9)
    ]


def index_of(space_id: SpaceId | uuid.UUID, vector_set: int = 0, *, dedicated: bool = True) -> str:
    """The name of the index over the chunks of a space."""
    return build_index_name("chunk_vector", space_id, vector_set, is_dedicated=dedicated)


class TestPlan:
    """Pure: what is wanted against what is there."""

    def steps(
        self,
        rows: int | None,
        found: tuple[Any, ...] | None,
        *,
        dedicated: bool,
        standing: int = 3,
        **options: bool,
    ) -> list[str]:
        space = SpaceVectors(
            TenantId(SPACE),
            SpaceId(SPACE),
            3,
            256,
            dedicated,
            {"chunk_vector": rows or 0, "node_vector": 0},
            **options,
        )
        steps = plan_steps(
            [] if rows is None else [space],
            {SPACE: frozenset(sorted(KEYS)[:standing])} if standing else {},
            [] if found is None else [VectorIndex(index_of(SPACE, 3, dedicated=dedicated), *found)],
            threshold=1_000,
        )
        assert {step.name for step in steps} <= {index_of(SPACE, 3, dedicated=dedicated), str(SPACE)}
        return [step.act.name for step in steps]

    @pytest.mark.parametrize(
        ("rows", "found", "wanted"),
        [
            (1_001, None, ["MAKE_INDEX"]),
            (1_000, None, []),
            (600, None, []),
            (600, (True, 256), []),
            (499, (True, 256), ["MOVE_BACK", "DROP_INDEX"]),
            (1_001, (True, 256), []),
            (1_001, (False, 256), ["DROP_INDEX", "MAKE_INDEX"]),
            (1_001, (True, 384), ["DROP_INDEX", "MAKE_INDEX"]),
            (1_001, (True, 256, 64), ["DROP_INDEX", "MAKE_INDEX"]),
            (1_001, (True, 256, 200, 16), ["DROP_INDEX", "MAKE_INDEX"]),
            (None, (True, 256), ["DROP_PARTITIONS"]),
        ],
    )
    def test_each_large_space_has_one_usable_index(
        self, rows: int | None, found: tuple[Any, ...] | None, wanted: list[str]
    ) -> None:
        assert self.steps(rows, found, dedicated=True) == wanted

    @pytest.mark.parametrize(
        ("rows", "found", "standing", "wanted"),
        [
            (1_001, None, 0, ["MOVE"]),
            (1_001, None, 3, ["MOVE"]),
            (1_000, None, 0, []),
            (1_000, None, 3, ["DROP_PARTITIONS"]),
            (1_001, (True, 256), 0, ["MOVE"]),
            (499, (True, 256), 0, ["DROP_INDEX"]),
            (None, (True, 256), 0, ["DROP_INDEX"]),
        ],
    )
    def test_a_space_in_the_shared_tables_moves_when_it_is_large(
        self, rows: int | None, found: tuple[Any, ...] | None, standing: int, wanted: list[str]
    ) -> None:
        """`found` is an index on the shared table, as versions before partitions made it."""
        assert self.steps(rows, found, dedicated=False, standing=standing) == wanted

    @pytest.mark.parametrize(
        ("standing", "options", "wanted"),
        [
            (2, {}, ["MOVE"]),
            (3, {"is_partly_shared": True}, ["CLEAR"]),
            (3, {"is_closed": True}, ["DROP_PARTITIONS"]),
            (0, {"is_closed": True}, []),
        ],
    )
    def test_what_a_broken_move_or_a_deleted_space_left_is_seen(
        self, standing: int, options: dict[str, bool], wanted: list[str]
    ) -> None:
        found = (True, 256) if standing == 3 else None
        assert self.steps(600, found, dedicated=True, standing=standing, **options) == wanted


@pytest.mark.soak
@pytest.mark.one_machine(NO_PARTITIONS)
def test_searches_agree_with_and_without_the_index(
    database: Database, home: Home, twin: Home, admin: psycopg.Connection[Any], keep: Any
) -> None:
    """Recall against the exact answer, as many rows as were asked for, and nothing of the neighbour's."""
    with opened(database, home) as space:
        exact = nearest(space, 10)
    assert keep() == [
        f"move to own partitions the vectors of space {home.space_id}: it has more than 1,000 of a kind"
    ]
    assert [vector_index.name for vector_index in read_vector_indexes(database.engine)] == [
        index_of(home.space_id)
    ]
    assert keep() == []
    with opened(database, home) as space:
        found = nearest(space, 10)
        assert space.connection.execute("SHOW enable_sort").fetchone() == ("on",)
        assert {len(rows) for rows in nearest(space, 50, questions=5)} == {50}
        own = {row[0] for row in space.connection.execute("SELECT id FROM knowledge_chunk")}
    agreeing = sum(len(set(a) & set(b)) for a, b in zip(exact, found, strict=True))
    assert agreeing >= 0.98 * 10 * len(exact)
    assert {chunk for rows in found for chunk in rows} <= own
    with opened(database, twin) as space:
        small = nearest(space, 200, questions=3)
    assert {len(rows) for rows in small} == {120}
    assert {chunk for rows in small for chunk in rows}.isdisjoint(own)


@pytest.mark.soak
@pytest.mark.one_machine(NO_PARTITIONS)
def test_the_plan_goes_by_the_index_whatever_the_planner_believes(
    database: Database, home: Home, admin: psycopg.Connection[Any], keep: Any
) -> None:
    keep()
    name = index_of(home.space_id)
    with opened(database, home) as space:
        settings, search, _ = load_statement("retrieval.nearest_chunks_indexed").split(";\n")
        client = psycopg.ClientCursor(space.connection)
        asked = {
            "name": name,
            "least": 50,
            "rows_per_candidate": 2_500,
            "vector": str(vectors(1, seed=9)[0].tolist()),
            "limit": 10,
            "dimensions": DIMENSIONS,
            "space_id": space.space_id,
            "vector_set": 0,
        }
        sent = replace_tables_by_partitions(f"{settings}; EXPLAIN {search}".encode(), home.space_id)
        client.execute(sent, asked)
        assert len(client.fetchall()) == 1
        assert client.nextset()
        lines = "\n".join(row[0] for row in client.fetchall())
    assert f"Index Scan using {name}" in lines
    assert "Sort" not in lines


@pytest.mark.soak
@pytest.mark.one_machine(NO_PARTITIONS)
def test_rows_deleted_from_under_the_index_leave_no_gap(
    database: Database, home: Home, admin: psycopg.Connection[Any], keep: Any
) -> None:
    """Until the next VACUUM the index leads to them first: the search goes on behind them."""
    keep()
    with opened(database, home) as space:
        (nearby,) = nearest(space, 400, questions=1)
        space.connection.execute("DELETE FROM dedicated_chunk_vector WHERE chunk_id = ANY(%s)", [nearby])
    with opened(database, home) as space:
        (left,) = nearest(space, 50, questions=1)
    assert len(left) == 50
    assert set(left).isdisjoint(nearby)


@pytest.mark.soak
@pytest.mark.one_machine(NO_PARTITIONS)
def test_it_goes_with_its_space(
    database: Database, home: Home, admin: psycopg.Connection[Any], keep: Any
) -> None:
    keep()
    admin.execute("SET session_replication_role = origin")
    with database.open_tenant(home.tenant_id) as tenant:
        assert spaces_repository.delete_space(tenant, home.space_id)
    assert admin.execute("SELECT count(*) FROM dedicated_chunk_vector").fetchone() == (0,)
    assert keep(dry_run=True) == [f"drop the partitions of space {home.space_id}: it is gone"]
    assert [vector_index.name for vector_index in read_vector_indexes(database.engine)] == [
        index_of(home.space_id)
    ]
    keep()
    assert read_vector_indexes(database.engine) == []
    assert read_partitions(database.engine) == {}


@pytest.mark.one_machine(NO_PARTITIONS)
@pytest.mark.soak
def test_a_build_that_was_broken_off_is_made_anew(
    database: Database, home: Home, admin: psycopg.Connection[Any], keep: Any
) -> None:
    """A vector of another length ends the build, and leaves an index that cannot be used."""
    (odd,) = admin.execute("SELECT chunk_id FROM chunk_vector LIMIT 1").fetchone() or (None,)
    kept = admin.execute("SELECT embedding::text FROM chunk_vector WHERE chunk_id = %s", [odd]).fetchone()
    admin.execute("UPDATE chunk_vector SET embedding = '[1,0]' WHERE chunk_id = %s", [odd])
    with pytest.raises(ConfigurationError, match="expected 256 dimensions"):
        keep()
    assert [vector_index.is_usable for vector_index in read_vector_indexes(database.engine)] == [False]
    assert all(not finding.problems for finding in lint_of(database))
    told = [
        verdict
        for verdict in examine_database(database, vector_index_chunks=THRESHOLD).verdicts
        if verdict.state != "ok"
    ]
    assert {verdict.subject for verdict in told} >= {"vector search"}
    assert kept is not None
    admin.execute("UPDATE chunk_vector SET embedding = %s WHERE chunk_id = %s", [kept[0], odd])
    assert [step.split()[0] for step in keep()] == ["move"]
    assert [vector_index.is_usable for vector_index in read_vector_indexes(database.engine)] == [True]
    # One of a partition that is in use.
    admin.execute(
        "UPDATE pg_index SET indisvalid = false WHERE indexrelid = %s::regclass",
        [read_vector_indexes(database.engine)[0].name],
    )
    assert [step.split()[0] for step in keep()] == ["drop", "make"]


def lint_of(database: Database) -> list[Any]:
    with database.engine.connect() as connection:
        return lint(connection)


@pytest.mark.soak
@pytest.mark.one_machine(NO_PARTITIONS)
@pytest.mark.usefixtures("steady_roles")
def test_the_doctor_tells_of_what_is_missing_and_of_nothing_else(
    database: Database, admin: psycopg.Connection[Any], keep: Any
) -> None:
    before = examine_database(database, vector_index_chunks=THRESHOLD)
    missing = [verdict for verdict in before.verdicts if verdict.subject == "vector search"]
    assert [verdict.state for verdict in missing] == ["warning"]
    assert "`citegraph maintain` would move to own partitions the vectors of space" in missing[0].sentences[0]
    keep()
    after = examine_database(database, vector_index_chunks=THRESHOLD)
    assert [verdict for verdict in after.verdicts if verdict.subject == "vector search"] == []
    admin.execute("ALTER FUNCTION chunk_matches(tsquery, text[], integer) SECURITY INVOKER")
    told = {
        verdict.subject: verdict
        for verdict in examine_database(database, vector_index_chunks=THRESHOLD).verdicts
    }
    assert told["chunk_matches(tsquery,text[],integer)"].state == "warning"


def test_only_one_maintenance_works_at_a_time(admin: psycopg.Connection[Any], keep: Any) -> None:
    admin.execute("SELECT pg_advisory_lock(7205519002)")
    with pytest.raises(ConfigurationError, match="Another maintenance"):
        keep()
