"""Fills a database for the retrieval benchmark: one large space beside many small ones."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

import psycopg

from benchmarks.data.retrieval import Filled, Space

TABLES = ("knowledge_chunk", "graph_node", "node_name", "node_mention", "graph_edge")


@contextmanager
def without_indexes(connection: psycopg.Connection[Any]) -> Iterator[None]:
    """Indexes but those of keys are made anew at the end: sorting is faster than inserting."""
    found = connection.execute(
        "SELECT format('DROP INDEX %%I', c.relname), pg_get_indexdef(i.indexrelid) FROM pg_index i"
        " JOIN pg_class c ON c.oid = i.indexrelid WHERE i.indrelid = ANY(%s::regclass[])"
        " AND NOT EXISTS (SELECT 1 FROM pg_constraint k WHERE k.conindid = i.indexrelid)",
        [list(TABLES)],
    ).fetchall()
    connection.execute("; ".join(drop for drop, _ in found).encode())
    yield
    for _, make in found:
        connection.execute(make.encode())


@dataclass(frozen=True)
class Generated:
    """The large space and the small ones beside it."""

    large: Filled
    small: list[Filled]


def generate(conninfo: str, *, chunks: int, small_spaces: int, small_chunks: int, seed: int) -> Generated:
    """A tenant with a large space and many small ones beside it. Takes a superuser; drops nothing.

    Foreign keys are not checked while loading: this measures reading, and the rows fit by construction.
    """
    tenant_id = uuid4()
    with psycopg.connect(conninfo) as connection:
        connection.execute("SET session_replication_role = replica; SET synchronous_commit = off")
        connection.execute("SET maintenance_work_mem = '512MB'")
        connection.execute(
            "INSERT INTO tenant (id, name) VALUES (%s, %s)", (tenant_id, f"benchmark-{tenant_id}")
        )
        with without_indexes(connection):
            filled = [
                Space(connection, tenant_id, add_space(connection, tenant_id, f"space {place}"),
                      chunks=small_chunks if place else chunks, seed=seed + place).fill()
                for place in range(small_spaces + 1)
            ]  # fmt: skip
    with psycopg.connect(conninfo, autocommit=True) as connection:
        connection.execute("VACUUM ANALYZE")
    return Generated(filled[0], filled[1:])


def add_space(connection: psycopg.Connection[Any], tenant_id: UUID, name: str) -> UUID:
    """A new empty space of the tenant."""
    space_id = uuid4()
    connection.execute(
        "INSERT INTO knowledge_space (id, tenant_id, name, embedding_model, embedding_dimensions)"
        " VALUES (%s, %s, %s, 'hashed-ngrams-256', 256)",
        (space_id, tenant_id, name),
    )
    return space_id
