"""Measures the search for near chunks in one database of many spaces of very different sizes: recall, rows
and time.

`python -m benchmarks vectors [--url postgresql://…] [--sizes 50 … 200000] [--spaces 500]`. The URL is a
superuser's of an empty database; without one an embedded server is made and thrown away. An index of 200,000
chunks takes many minutes to build.
"""

import argparse
import contextlib
import os
import time
from collections.abc import Sequence
from functools import partial
from uuid import uuid4

import numpy as np
import psycopg

from app.db.database import Database
from app.db.engine import convert_to_conninfo, convert_to_psycopg_url
from app.db.migrate import migrate
from app.db.vectors.maintenance import maintain_vectors
from app.db.vectors.plan import Step
from app.ids import SpaceId, TenantId
from app.retrieval import repository
from app.settings import Settings
from app.wiring import open_database
from benchmarks.data.retrieval import Filled, Floats, Space, unit
from benchmarks.data.spaces import add_space, without_indexes
from benchmarks.place import server
from benchmarks.retrieval.latency import Meter, show

SIZES = (50, 300, 1_000, 4_000, 9_000, 12_000, 20_000, 40_000, 100_000, 200_000)
WANTED, SMALL = 50, 300
"""Rows that each search asks for, and chunks of the spaces beside those that are measured."""
NOISE = 0.03


def fill(conninfo: str, sizes: Sequence[int], spaces: int, seed: int) -> list[Filled]:
    """One tenant's spaces of these sizes, and small ones beside them up to so many in all, on the same
    topics.
    """
    tenant_id = uuid4()
    with psycopg.connect(conninfo) as connection:
        connection.execute("SET session_replication_role = replica; SET synchronous_commit = off")
        connection.execute(
            "INSERT INTO tenant (id, name) VALUES (%s, %s)", (tenant_id, f"benchmark-{tenant_id}")
        )
        with without_indexes(connection):
            filled = [
                Space(connection, tenant_id, add_space(connection, tenant_id, f"space {place}"),
                      chunks=size, seed=seed + place, graph=False).fill()
                for place, size in enumerate([*sizes, *[SMALL] * (spaces - len(sizes))])
            ]  # fmt: skip
    with psycopg.connect(conninfo, autocommit=True) as connection:
        connection.execute("VACUUM ANALYZE")
    return filled[: len(sizes)]


def questions(filled: Filled, count: int, seed: int) -> Floats:
    """Vectors (count, dimensions) near those of chunks drawn by chance."""
    random = np.random.default_rng(seed)
    near = filled.vectors[random.integers(0, len(filled.vectors), count)]
    return unit((near + NOISE * random.standard_normal(near.shape)).astype(np.float32))


def measure(
    database: Database, filled: Filled, count: int, seed: int
) -> tuple[dict[int, float], list[tuple[float, float, float]]]:
    """Recall among so many nearest against numpy over the stored halves, and what each search cost."""
    asked = questions(filled, count, seed)
    size = len(filled.vectors)
    stored = filled.vectors.astype(np.float16).astype(np.float32)
    place = {chunk: number for number, chunk in enumerate(filled.chunk_ids)}
    found = {10: 0.0, WANTED: 0.0}
    with database.open_space(TenantId(filled.tenant_id), SpaceId(filled.space_id)) as space:
        for vector in asked:
            rows = [place[chunk] for chunk, _ in repository.find_nearest_chunks(space, vector, limit=WANTED)]
            assert len(rows) == min(WANTED, size)
            exact = np.argsort(-(stored @ vector), kind="stable")[:WANTED].tolist()
            for k in found:
                found[k] += len(set(rows[:k]) & set(exact[:k])) / min(k, size) / count
        # Afterwards: numpy's threads go on spinning a while, and what they read empties the caches.
        meter = Meter(space)
        spent = [
            meter.of(partial(repository.find_nearest_chunks, space, vector, limit=WANTED)) for vector in asked
        ]
    return found, spent


def main(argv: Sequence[str] | None = None) -> None:
    """Generate, index, measure."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--url", help="superuser URL of an empty database")
    parser.add_argument(
        "--sizes", type=int, nargs="+", default=list(SIZES), help="chunks of each measured space"
    )
    parser.add_argument("--spaces", type=int, default=500, help="spaces in all")
    parser.add_argument("--questions", type=int, default=200, help="searches in each measured space")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(argv)
    with contextlib.ExitStack() as stack:
        url = stack.enter_context(server(options.url))
        migrate(url)
        filled = fill(
            convert_to_conninfo(convert_to_psycopg_url(url)), options.sizes, options.spaces, options.seed
        )
        settings = Settings(database_url=url, allow_privileged_login=True, statement_timeout=60.0)
        database = open_database(url, settings)
        stack.callback(database.dispose)
        started = [time.perf_counter()]

        def tell(step: Step) -> None:
            print(f"{time.perf_counter() - started[0]:.0f} s: {step}", flush=True)

        maintain_vectors(database, url, threshold=settings.vector_index_chunks, report_step=tell)
        print(
            f"{time.perf_counter() - started[0]:.0f} s: all indexes are made; load {os.getloadavg()[0]:.1f}"
        )
        for filled_space in filled:
            found, spent = measure(database, filled_space, options.questions, options.seed)
            shares = "  ".join(f"recall@{k} {share:.3f}" for k, share in found.items())
            show(f"{len(filled_space.vectors):,} chunks: {shares}", spent)
