"""Mutations of the partitions of large spaces, which no list names: each is compared with its pattern."""

from collections.abc import Iterator
from uuid import UUID

import psycopg
import pytest

from app.db.engine import convert_to_conninfo
from app.db.roles import MIGRATOR
from app.db.vectors.partitions import create_missing_partitions
from app.db.vectors.tables import build_partition_name
from tests.isolation.test_doctor_mutations import Server, problems
from tests.support.own_server import TEMPLATE, migrated_server

pytestmark = pytest.mark.soak

# Name of the mutation, what is done to the partition, which words of the sentence about it.
MUTATIONS = [
    (
        "row security that its owner does not meet",
        "ALTER TABLE {own} NO FORCE ROW LEVEL SECURITY",
        "row security",
    ),
    ("row security off", "ALTER TABLE {own} DISABLE ROW LEVEL SECURITY", "row security"),
    ("no wall", "DROP POLICY wall ON {own}", "policy"),
    ("a second policy", "CREATE POLICY more ON {own} USING (true)", "policy"),
    ("no wall for psql", "DROP POLICY one_space ON {own}", "policy one_space"),
    ("more rights", "GRANT TRUNCATE ON {own} TO citegraph_app", "TRUNCATE"),
    ("another owner", "ALTER TABLE {own} OWNER TO postgres", "own"),
    ("no check of what it belongs to", "DROP TRIGGER check_insert ON {own}", "trigger check_insert"),
    ("a trigger that rests", "ALTER TABLE {own} DISABLE TRIGGER check_update", "trigger check_update"),
    ("another default", "ALTER TABLE {own} ALTER COLUMN vector_set SET DEFAULT 1", "vector_set"),
    ("one more index", "CREATE INDEX ON {own} (chunk_id)", "index"),
    ("cut off", "ALTER TABLE dedicated_chunk_vector DETACH PARTITION {own}", "bound"),
    (
        "of another space",
        "ALTER TABLE dedicated_chunk_vector DETACH PARTITION {own};"
        " ALTER TABLE dedicated_chunk_vector ATTACH PARTITION {own} FOR VALUES IN ('{other}')",
        "bound",
    ),
]


def space_of(place: int) -> UUID:
    return UUID(int=(0x0198 << 112) + place)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Embedded Postgres that no other test uses."""
    with migrated_server(tmp_path_factory.mktemp("partition_mutations")) as admin:
        yield Server(admin, TEMPLATE)


@pytest.fixture(scope="module")
def found(server: Server) -> Iterator[dict[str, str]]:
    """The problems with each mutation on a partition of its own, and one more that nobody touched."""
    with server.copy() as database:
        with psycopg.connect(
            convert_to_conninfo(server.admin.set(database=database)), autocommit=True
        ) as connection:
            connection.execute(f"SET ROLE {MIGRATOR}".encode())
            for place in range(len(MUTATIONS) + 1):
                create_missing_partitions(connection, space_of(place))
        for place, (_, mutation, _) in enumerate(MUTATIONS):
            own = build_partition_name("chunk_vector", space_of(place))
            server.execute(mutation.format(own=own, other=space_of(1_000 + place)), database=database)
        own = build_partition_name("node_vector", space_of(len(MUTATIONS)))
        server.execute(
            f"CREATE INDEX ix_{own}_hnsw_3 ON {own} USING hnsw ((embedding::halfvec(64)) halfvec_cosine_ops)"
            " WITH (m = 24, ef_construction = 200) WHERE vector_set = 3",
            database=database,
        )
        yield problems(server.examine(database))


@pytest.mark.parametrize("place", range(len(MUTATIONS)), ids=[mutation[0] for mutation in MUTATIONS])
def test_a_mutation_of_a_partition_is_noticed(found: dict[str, str], place: int) -> None:
    own = build_partition_name("chunk_vector", space_of(place))
    assert MUTATIONS[place][2] in found.get(own, f"nothing about it, but {found}")


def test_partitions_as_they_are_made_are_healthy(found: dict[str, str]) -> None:
    """With a vector index, and beside others that are not."""
    untouched = {build_partition_name("chunk_vector", space_of(len(MUTATIONS)))}
    untouched |= {
        build_partition_name(table, space_of(place))
        for table in ("node_vector", "fact_vector")
        for place in range(len(MUTATIONS) + 1)
    }
    assert {name: found[name] for name in untouched & set(found)} == {}
