"""Measures what other tenants' spaces cost a search, a look-up by key and an insert, as their number grows.

`python -m benchmarks layout [--large 1 200 2000] [--small 10000] [--rows 20000]`: one small space and one
large are measured beside so many large ones, each with partitions and indexes of its own, and so many small
ones. Times are of the backend's processor, with planning; locks are those of the door and one search; memory
is all that the connection holds after that.
"""

import argparse
import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import Any
from uuid import UUID, uuid4

import psycopg
from psycopg import sql

from app.db.database import Database
from app.db.engine import convert_to_conninfo, convert_to_psycopg_url
from app.db.migrate import migrate
from app.db.roles import MIGRATOR
from app.db.session import SpaceSession
from app.db.vectors.indexes import build_index_name
from app.db.vectors.maintenance import maintain_vectors
from app.db.vectors.partitions import create_missing_partitions
from app.db.vectors.tables import build_partition_name
from app.ids import SpaceId, TenantId
from app.retrieval import repository
from app.settings import Settings
from app.wiring import open_database
from benchmarks.data.retrieval import Filled, Space
from benchmarks.data.spaces import add_space
from benchmarks.place import server
from benchmarks.retrieval.latency import Meter
from benchmarks.retrieval.vectors import SMALL, questions

OTHER_ROWS, SMALL_ROWS = 100, 30
"""Vectors of each large and of each small space beside those that are measured."""
WANTED = 50
HELD = "SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid()"
MEMORY = "SELECT sum(total_bytes) / 1e6 FROM pg_backend_memory_contexts"


def add_large(connection: psycopg.Connection[Any], tenant_id: UUID, filled: Filled) -> None:
    """One more large space, with some of the vectors in partitions of its own, and an index over them."""
    space_id = add_space(connection, tenant_id, f"large {uuid4()}")
    connection.execute("UPDATE knowledge_space SET dedicated_vectors = true WHERE id = %s", [space_id])
    connection.execute(f"SET ROLE {MIGRATOR}".encode())
    create_missing_partitions(connection, space_id)
    connection.execute("RESET ROLE")
    own = sql.Identifier(build_partition_name("chunk_vector", space_id))
    connection.execute("SET session_replication_role = replica")
    connection.execute(
        sql.SQL(
            "INSERT INTO {} SELECT %s, chunk_id, 0, embedding FROM chunk_vector"
            " WHERE knowledge_space_id = %s LIMIT %s"
        ).format(own),
        [space_id, filled.space_id, OTHER_ROWS],
    )
    connection.execute("SET session_replication_role = origin")
    connection.execute(
        sql.SQL(
            "CREATE INDEX {} ON {} USING hnsw ((embedding::halfvec(256)) halfvec_cosine_ops)"
            " WHERE vector_set = 0"
        ).format(sql.Identifier(build_index_name("chunk_vector", space_id, 0, is_dedicated=True)), own)
    )


def add_small(connection: psycopg.Connection[Any], tenant_id: UUID, filled: Filled, spaces: int) -> None:
    """So many small spaces, with some of the vectors each in the shared table."""
    connection.execute("SET session_replication_role = replica; SET synchronous_commit = off")
    connection.execute(
        "WITH made AS (INSERT INTO knowledge_space (id, tenant_id, name, embedding_model,"
        " embedding_dimensions) SELECT gen_random_uuid(), %s, 'small ' || n, 'hashed-ngrams-256', 256"
        " FROM generate_series(1, %s) AS n RETURNING id), sample AS (SELECT chunk_id, embedding"
        " FROM chunk_vector WHERE knowledge_space_id = %s LIMIT %s)"
        " INSERT INTO chunk_vector SELECT made.id, sample.chunk_id, 0, sample.embedding FROM made, sample",
        [tenant_id, spaces, filled.space_id, SMALL_ROWS],
    )
    connection.execute("SET session_replication_role = origin")
    connection.execute("VACUUM ANALYZE chunk_vector")


def insert(space: SpaceSession, filled: Filled) -> None:
    """Write the vectors of ten chunks again, in a set that nobody compares with."""
    texts = [str(vector.round(4).tolist()) for vector in filled.vectors[:10]]
    chunks = list(filled.chunk_ids[:10])
    space.run("documents.insert_vectors", {"ids": chunks, "embeddings": texts, "into_set": 9})


@dataclass(frozen=True, slots=True)
class Beside:
    """What statements cost in one space beside others: all milliseconds of each, locks of a search, MB of a
    connection.
    """

    spent: dict[str, list[float]]
    locks: int
    megabytes: float


def measure(database: Database, filled: Filled, count: int) -> Beside:
    """What each statement costs in one space, the locks of a search, and what the connection holds."""
    asked = questions(filled, count, 1)
    tenant_id, space_id = TenantId(filled.tenant_id), SpaceId(filled.space_id)
    looked = "SELECT embedding FROM {} WHERE knowledge_space_id = %s AND chunk_id = %s AND vector_set = 0"
    with database.open_space(tenant_id, space_id) as space:
        table = (
            build_partition_name("chunk_vector", space_id)
            if space.opening_state.dedicated_vectors
            else "chunk_vector"
        )
        look = sql.SQL(looked).format(sql.Identifier(table))
        works: dict[str, Callable[[int], object]] = {
            "search": lambda at: repository.find_nearest_chunks(space, asked[at], limit=WANTED),
            "look-up": lambda at: space.connection.execute(
                look, [space_id, filled.chunk_ids[at % len(filled.chunk_ids)]]
            ).fetchone(),
            "insert 10": lambda _at: insert(space, filled),
        }
        meter = Meter(space)
        spent = {
            work: [meter.of(partial(call, at))[2] for at in range(count)] for work, call in works.items()
        }
        space.orm.rollback()
    with database.open_space(tenant_id, space_id) as space:
        repository.find_nearest_chunks(space, asked[0], limit=WANTED)
        locks = (space.connection.execute(HELD).fetchone() or (0,))[0]
        # Only who may see all of the server sees this: the login, and not the application's role.
        space.connection.execute("SET LOCAL ROLE NONE")
        memory = (space.connection.execute(MEMORY).fetchone() or (0,))[0]
    return Beside(spent, int(locks), float(memory))


@dataclass(frozen=True, slots=True)
class Layout:
    """A filled database, its superuser, and the two spaces that are measured."""

    database: Database
    admin: psycopg.Connection[Any]
    tenant_id: UUID
    small: Filled
    large: Filled


@contextlib.contextmanager
def filled_layout(url: str, rows: int) -> Iterator[Layout]:
    """One small space, and one large one of so many vectors in partitions of its own."""
    migrate(url)
    tenant_id = uuid4()
    with psycopg.connect(convert_to_conninfo(convert_to_psycopg_url(url)), autocommit=True) as admin:
        admin.execute("SET session_replication_role = replica")
        admin.execute("INSERT INTO tenant (id, name) VALUES (%s, 'benchmark')", (tenant_id,))
        with admin.transaction():
            small, large = (
                Space(
                    admin, tenant_id, add_space(admin, tenant_id, name), chunks=chunks, seed=1, graph=False
                ).fill()
                for name, chunks in (("small", SMALL), ("large", rows))
            )
        admin.execute("VACUUM ANALYZE")
        settings = Settings(database_url=url, allow_privileged_login=True, statement_timeout=60.0)
        database = open_database(url, settings)
        maintain_vectors(database, url, threshold=min(10_000, rows // 2))
        yield Layout(database, admin, tenant_id, small, large)
        database.dispose()


def growing_layout(layout: Layout, large: Sequence[int]) -> Iterator[int]:
    """Add large spaces up to each of these numbers, the measured one included."""
    made = 1
    for wanted in large:
        for _ in range(wanted - made):
            add_large(layout.admin, layout.tenant_id, layout.small)
        made = max(made, wanted)
        yield made


def both(layout: Layout, count: int) -> tuple[Beside, Beside]:
    """The small space and the large one, each on a connection of its own."""
    layout.admin.execute("ANALYZE chunk_vector")
    found = []
    for filled in (layout.small, layout.large):
        layout.database.engine.dispose()
        found.append(measure(layout.database, filled, count))
    return found[0], found[1]


def main(argv: Sequence[str] | None = None) -> None:
    """Generate, and measure at each number of large spaces."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--url", help="superuser URL of an empty database")
    parser.add_argument("--large", type=int, nargs="+", default=[1, 200, 2_000], help="large spaces, in turn")
    parser.add_argument("--small", type=int, default=10_000, help="small spaces beside the most large ones")
    parser.add_argument(
        "--rows", type=int, default=20_000, help="vectors of the large space that is measured"
    )
    parser.add_argument("--questions", type=int, default=100, help="of each statement")
    options = parser.parse_args(argv)
    with contextlib.ExitStack() as stack:
        url = stack.enter_context(server(options.url))
        layout = stack.enter_context(filled_layout(url, options.rows))
        made = 1
        for made in growing_layout(layout, options.large):
            report(layout, f"{made:,} large spaces", options.questions)
        add_small(layout.admin, layout.tenant_id, layout.small, options.small)
        report(layout, f"{made:,} large spaces and {options.small:,} small ones", options.questions)


def report(layout: Layout, title: str, count: int) -> None:
    """Print both measured spaces under that title."""
    print(title, flush=True)
    names = (f"small, {SMALL} vectors, exact", "large, by its index")
    for name, found in zip(names, both(layout, count), strict=True):
        parts = [
            f"{work} {median(spent):.2f} ms (p95 {sorted(spent)[count * 19 // 20]:.2f})"
            for work, spent in found.spent.items()
        ]
        print(f"  {name}: {', '.join(parts)}; {found.locks} locks; {found.megabytes:.1f} MB of memory")
