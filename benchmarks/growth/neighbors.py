"""Figures of one small space beside so many others: small ones, or large ones with their partitions."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from functools import partial
from statistics import median
from typing import Any
from uuid import UUID, uuid4

import psycopg
from psycopg import sql

from app.db.database import Database
from app.db.engine import convert_to_conninfo, convert_to_psycopg_url
from app.db.migrate import migrate
from app.db.session import SpaceSession
from app.graph import service
from app.ids import SpaceId, TenantId
from app.retrieval import repository
from app.retrieval.service import Retriever
from app.retrieval.shapes import Query
from app.settings import Settings
from benchmarks.data.retrieval import Filled, Space
from benchmarks.data.spaces import add_space
from benchmarks.growth.calls import CallCosts, Home, opened
from benchmarks.growth.figures import Figure
from benchmarks.place import server
from benchmarks.retrieval.latency import Given, Question, questions
from benchmarks.retrieval.vector_layout import both, filled_layout, growing_layout

CHUNKS = 30
"""Chunks of each small space, with 60 nodes and some 270 edges."""
CALLS = 100
LARGE_ROWS = 12_000
_TABLES = """
SELECT attrelid::regclass::text, array_agg(attname::text ORDER BY attnum)
FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
  AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
GROUP BY 1 HAVING bool_or(attname = 'knowledge_space_id')
"""
# A chunk's words hold its space, by which a search in the index of all spaces' words keeps to its own.
_LEXEMES = sql.SQL(
    "ts_delete(lexemes, 'space:' || knowledge_space_id) || array_to_tsvector(ARRAY['space:' || copied])"
)


def figures_of_spaces(sizes: Sequence[int]) -> Iterator[tuple[int, list[Figure]]]:
    """The figures of one small space at each number of spaces, in one growing database."""
    with server(None) as url:
        migrate(url)
        tenant_id = uuid4()
        with psycopg.connect(convert_to_conninfo(convert_to_psycopg_url(url)), autocommit=True) as admin:
            admin.execute("SET session_replication_role = replica; SET synchronous_commit = off")
            admin.execute("INSERT INTO tenant (id, name) VALUES (%s, 'benchmark')", (tenant_id,))
            space_id = add_space(admin, tenant_id, "measured")
            with admin.transaction():
                filled = Space(admin, tenant_id, space_id, chunks=CHUNKS, seed=1).fill()
            made = 1
            for spaces in sizes:
                copy_space(admin, tenant_id, space_id, spaces - made)
                made = max(made, spaces)
                admin.execute("VACUUM ANALYZE")
                yield spaces, figures_of_space(url, filled)


def copy_space(connection: psycopg.Connection[Any], tenant_id: UUID, space_id: UUID, copies: int) -> None:
    """Add spaces with the rows of this one: keys begin with the space, so that rows may share the rest."""
    copied = connection.execute(
        "INSERT INTO knowledge_space (id, tenant_id, name, embedding_model, embedding_dimensions)"
        " SELECT gen_random_uuid(), %s, 'copy ' || gen_random_uuid(), 'hashed-ngrams-256', 256"
        " FROM generate_series(1, %s) RETURNING id",
        [tenant_id, copies],
    ).fetchall()
    for table, columns in connection.execute(_TABLES).fetchall():
        others = [column for column in columns if column != "knowledge_space_id"]
        connection.execute(
            sql.SQL(
                "INSERT INTO {table} (knowledge_space_id, {others}) SELECT copied, {values}"
                " FROM {table}, unnest(%s::uuid[]) AS copied WHERE knowledge_space_id = %s"
            ).format(
                table=sql.Identifier(table),
                others=sql.SQL(", ").join(map(sql.Identifier, others)),
                values=sql.SQL(", ").join(
                    _LEXEMES if column == "lexemes" else sql.Identifier(column) for column in others
                ),
            ),
            [[row[0] for row in copied], space_id],
        )


def figures_of_space(url: str, filled: Filled) -> list[Figure]:
    """The figures of one filled space, whatever stands beside it."""
    home: Home = TenantId(filled.tenant_id), SpaceId(filled.space_id)
    asked = questions(filled, CALLS, seed=3)
    with opened(url) as database, closing(CallCosts(url, database, home)) as costs:
        retriever = Retriever(database, Given(asked), Settings())
        figures = costs.by_itself("open the space", [partial(_open, database, home)] * CALLS)
        for name, calls in _ways(filled, asked).items():
            figures += costs.in_space(name, calls)
        return figures + costs.by_itself(
            "retrieve, hybrid",
            [
                partial(retriever.retrieve_and_record_recalls, *home, Query(question.text))
                for question in asked
            ],
        )


def _open(database: Database, home: Home) -> object:
    with database.open_space(*home) as space:
        return space.settings


def _ways(filled: Filled, asked: Sequence[Question]) -> dict[str, list[Callable[[SpaceSession], object]]]:
    names = [filled.named[place % len(filled.named)] for place in range(CALLS)]
    return {
        "explain, two hops": [
            partial(service.explain_and_record_recall, question=f"What does {first} own?")
            for first, _ in names
        ],
        "explain from A to B": [
            partial(service.explain_and_record_recall, from_=first, to=second) for first, second in names
        ],
        "find by name": [partial(_find, name=first) for first, _ in names],
        "neighborhood, two hops": [partial(_around, name=first) for first, _ in names],
        "near vectors, exact": [partial(_nearest, question=question) for question in asked],
    }


def _find(space: SpaceSession, name: str) -> object:
    return service.find_nodes(space, name)


def _around(space: SpaceSession, name: str) -> object:
    return service.fetch_neighborhood_and_record_recall(space, service.find_nodes(space, name)[0].id, depth=2)


def _nearest(space: SpaceSession, question: Question) -> object:
    return repository.find_nearest_chunks(space, question.vector, limit=50)


def figures_beside_large(sizes: Sequence[int]) -> Iterator[tuple[int, list[Figure]]]:
    """What vectors cost one small and one large space beside so many large ones, in one growing database."""
    with server(None) as url, filled_layout(url, LARGE_ROWS) as layout:
        for made in growing_layout(layout, sizes):
            figures = []
            for name, found in zip(("small", "large"), both(layout, CALLS), strict=True):
                figures += [
                    Figure(f"{name} space, {work}: Postgres", "ms of processor", median(spent))
                    for work, spent in found.spent.items()
                ]
                figures.append(Figure(f"{name} space, search: locks", "locks", found.locks))
                figures.append(Figure(f"{name} space: memory of a connection", "MB", found.megabytes))
            yield made, figures
