"""Bytes on disk for each chunk, node, edge and vector, tables and indexes: the ground of docs/scaling.md.

Usage: python -m benchmarks sizes [--copies 10]

The example corpus is read by rules into so many spaces, through the job that a worker runs. Then every table
is vacuumed and its bytes, with indexes and long values, are divided by the rows of what it is about.
"""

import argparse
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import psycopg

from app.db.database import Database
from app.db.engine import convert_to_conninfo, convert_to_psycopg_url
from app.db.migrate import migrate
from app.documents import service as documents
from app.documents.format_detection import detect_format_or_refuse
from app.documents.shapes import Submission
from app.ids import SpaceId, TenantId
from app.ingest.job import ingest_documents
from app.jobs.kinds import IngestDocuments
from app.settings import Settings
from app.wiring import assemble_citegraph, open_database
from benchmarks.place import new_space, server
from workers.broker import Broker
from workers.runner import Runner

CORPUS = Path(__file__).resolve().parents[1] / "examples" / "corpus"
ABOUT = {
    "chunk": ("knowledge_chunk", "document", "document_body", "chunk_recall"),
    "node": ("graph_node", "node_name", "node_name_key", "node_attribute", "node_tag"),
    "mention": ("node_mention",),
    "edge": ("graph_edge", "edge_invalidation", "edge_recall"),
    "chunk vector": ("chunk_vector",),
    "node vector": ("node_vector",),
    "fact vector": ("fact_vector",),
}
"""The tables whose bytes are counted to each thing; the first has a row for each."""
_BYTES = """
SELECT relname::text, pg_table_size(oid), pg_indexes_size(oid) FROM pg_class
WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND pg_total_relation_size(oid) > 0
"""


def main(argv: Sequence[str]) -> None:
    """Fill the database, then print bytes by thing."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks sizes", description=__doc__)
    parser.add_argument("--copies", type=int, default=10, help="spaces that the corpus is read into")
    parser.add_argument("--url", help="a superuser's address of an empty server; else an embedded one")
    chosen = parser.parse_args(argv)
    with server(chosen.url) as url:
        migrate(url)
        settings = Settings(allow_privileged_login=True, pool_size=2)
        database = open_database(url, settings)
        for number in range(chosen.copies):
            _fill(database, settings, *new_space(database, f"sizes-{number}"))
        database.dispose()
        with psycopg.connect(convert_to_conninfo(convert_to_psycopg_url(url)), autocommit=True) as connection:
            connection.execute("VACUUM ANALYZE")
            print_sizes(connection, dimensions=256)


def print_sizes(connection: psycopg.Connection[tuple[object, ...]], *, dimensions: int) -> None:
    """Print rows and bytes of each thing, and what the rest takes by chunk."""
    sizes = {
        str(name): (int(str(table)), int(str(index))) for name, table, index in connection.execute(_BYTES)
    }
    rows = {thing: _count(connection, tables[0]) for thing, tables in ABOUT.items()}
    print("| thing | rows | bytes each, tables | bytes each, indexes | together |")
    print("| --- | --- | --- | --- | --- |")
    counted: set[str] = set()
    for thing, tables in ABOUT.items():
        counted.update(tables)
        heap, index = (sum(sizes.get(name, (0, 0))[part] for name in tables) for part in (0, 1))
        row_count = max(rows[thing], 1)
        parts = (heap / row_count, index / row_count, (heap + index) / row_count)
        print(f"| {thing} | {rows[thing]:,} | {' | '.join(f'{part:,.0f}' for part in parts)} |")
    chunks = max(rows["chunk"], 1)
    rest = sum(sum(pair) for name, pair in sizes.items() if name not in counted) / chunks
    whole = sum(sum(pair) for pair in sizes.values()) / chunks
    shares = ", ".join(f"{rows[name] / chunks:.2f} {name}s" for name in ("node", "edge", "mention"))
    print(f"\nAll other tables: {rest:,.0f} bytes a chunk.")
    print(f"Altogether {whole:,.0f} bytes a chunk, with {shares}.")
    print(f"Of each vector of {dimensions} dimensions {2 * dimensions} bytes are its values.")


def _fill(database: Database, settings: Settings, tenant_id: TenantId, space_id: SpaceId) -> None:
    submissions = [
        Submission(body, detect_format_or_refuse(path.name, None, body), path.stem, source_uri=path.name)
        for path in sorted(CORPUS.iterdir())
        for body in [path.read_bytes()]
    ]
    with database.open_space(tenant_id, space_id) as space:
        documents.submit_documents(space, submissions)
    citegraph = assemble_citegraph(settings, database, Broker("redis://127.0.0.1:1"), None)
    handlers = {IngestDocuments.kind: partial(ingest_documents, extractors=citegraph.extractors)}
    Runner(database, settings, handlers).drain()


def _count(connection: psycopg.Connection[tuple[object, ...]], table: str) -> int:
    found = connection.execute(f"SELECT count(*) FROM {table}".encode()).fetchone()
    return int(str(found[0])) if found else 0
