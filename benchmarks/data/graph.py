"""Seeded spaces of any size for the graph benchmarks: power-law hubs, names, chunks and evidence, by COPY."""

import json
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from uuid import UUID

import numpy as np
import psycopg
from numpy.typing import NDArray

from benchmarks.data.spaces import without_indexes

EXPONENT = 3.15
"""Gives the largest hub of 1M nodes and 5M edges about 62,000 edges each way, 124,000 in all."""

RELATIONS = (
    "provides", "owns", "depends_on", "deprecates", "replaces", "integrates_with", "part_of", "works_on",
    "works_for", "knows", "located_in", "created", "uses", "causes", "related_to",
)  # fmt: skip
TYPES = ("Product", "Person", "Concept", "Organization", "Technology")
SYLLABLES = (
    "ba",
    "cor",
    "del",
    "fi",
    "gan",
    "hol",
    "ix",
    "jo",
    "kar",
    "lum",
    "mo",
    "nel",
    "or",
    "pra",
    "qui",
)
QUOTE = "The passage says in one sentence of ordinary length how the first thing relates to the second one."
CHUNK_TEXT = " ".join([QUOTE] * 10)
CHUNK_EDGES = 20


@dataclass(frozen=True)
class Generated:
    """The large space and what was written in all."""

    tenant_id: UUID
    space_id: UUID
    nodes: int
    edges: int
    small_spaces: int
    node_rate: float
    edge_rate: float


def _uuids(generator: np.random.Generator, count: int, clock: int) -> list[UUID]:
    """Version 7 ids, one millisecond each 16 rows, so that they are as ordered as real ones."""
    noise = generator.bytes(10 * count)
    ids = []
    for index in range(count):
        raw = bytearray((clock + index // 16).to_bytes(6, "big") + noise[10 * index : 10 * index + 10])
        raw[6] = 0x70 | (raw[6] & 0x0F)
        raw[8] = 0x80 | (raw[8] & 0x3F)
        ids.append(UUID(bytes=bytes(raw)))
    return ids


def _ends(generator: np.random.Generator, nodes: int, edges: int) -> NDArray[np.int64]:
    return np.minimum((nodes * generator.random(edges) ** EXPONENT).astype(np.int64), nodes - 1)


def node_name(index: int) -> str:
    """The canonical name of the node at this place: three syllables and its number."""
    base = len(SYLLABLES)
    letters = "".join(SYLLABLES[(index // base**power) % base] for power in range(3))
    return f"{letters.capitalize()} {index}"


def _copy(
    connection: psycopg.Connection, table: str, columns: str, rows: Iterable[tuple[object, ...]]
) -> float:
    started = time.perf_counter()
    with (
        connection.cursor() as cursor,
        cursor.copy(f"COPY {table} (knowledge_space_id, {columns}) FROM STDIN".encode()) as copy,
    ):
        for row in rows:
            copy.write_row(row)
    return time.perf_counter() - started


def fill_space(
    connection: psycopg.Connection, space_id: UUID, *, nodes: int, edges: int, seed: int
) -> tuple[float, float]:
    """Write one space's rows; returns the seconds that its nodes and its edges took."""
    generator = np.random.default_rng(seed)
    clock = 1_700_000_000_000 + seed * 10_000_000
    node_ids = _uuids(generator, nodes, clock)
    chunk_count = max(1, edges // CHUNK_EDGES)
    chunk_ids = _uuids(generator, chunk_count, clock)
    document_ids = _uuids(generator, max(1, chunk_count // 50), clock)
    places = generator.permutation(nodes)
    source = places[_ends(generator, nodes, edges)]
    target = places[_ends(generator, nodes, edges)]
    target = np.where(source == target, (target + 1) % nodes, target)
    out_degree, in_degree = np.bincount(source, minlength=nodes), np.bincount(target, minlength=nodes)
    weights = np.round(generator.random(edges), 4)
    relations = generator.integers(0, len(RELATIONS), edges)
    _copy(connection, "document", "id, title, source_kind, format, content_hash, byte_size, state", (
        (space_id, document_id, f"Document {i}", "file", "text", f"{seed}-{i}", 1000, "ready")
        for i, document_id in enumerate(document_ids)
    ))  # fmt: skip
    length = len(CHUNK_TEXT)
    chunk_columns = (
        "id, document_id, ordinal, text, char_start, char_end, heading_path, token_count, content_hash"
    )
    _copy(connection, "knowledge_chunk", chunk_columns, (
        (space_id, chunk_id, document_ids[i % len(document_ids)], i // len(document_ids), CHUNK_TEXT,
         i // len(document_ids) * length, i // len(document_ids) * length + length, [], 200, f"{seed}-{i}")
        for i, chunk_id in enumerate(chunk_ids)
    ))  # fmt: skip
    node_columns = "id, canonical_name, node_type, metadata, mention_count, out_degree, in_degree"
    node_seconds = _copy(connection, "graph_node", node_columns, (
        (space_id, node_id, node_name(i), TYPES[i % len(TYPES)], '{"aliases": []}',
         int(out_degree[i] + in_degree[i]), int(out_degree[i]), int(in_degree[i]))
        for i, node_id in enumerate(node_ids)
    ))  # fmt: skip
    node_seconds += _copy(connection, "node_name", "normalised_name, node_id, name, kind", (
        (space_id, node_name(i).lower(), node_id, node_name(i), "canonical")
        for i, node_id in enumerate(node_ids)
    ))  # fmt: skip

    def edge_rows() -> Iterator[tuple[object, ...]]:
        keys = _uuids(generator, edges, clock)
        metadata = [
            json.dumps({"confidence": c / 100, "model": "rules", "extractedAt": "2026-01-01T00:00:00Z",
                        "quote": QUOTE, "charStart": 0, "charEnd": len(QUOTE)})
            for c in range(100)
        ]  # fmt: skip
        confidences = generator.integers(50, 100, edges)
        for i, key in enumerate(keys):
            yield (space_id, key, node_ids[source[i]], node_ids[target[i]], RELATIONS[relations[i]],
                   float(weights[i]), chunk_ids[i % chunk_count], metadata[confidences[i]], key)  # fmt: skip

    edge_columns = (
        "id, from_node_id, to_node_id, relation_type, weight, evidence_chunk_id, metadata, extraction_key"
    )
    return node_seconds, _copy(connection, "graph_edge", edge_columns, edge_rows())


def generate(conninfo: str, *, nodes: int, small_spaces: int, seed: int) -> Generated:
    """A tenant with a large space and many small ones beside it. Takes a superuser; drops nothing.

    Foreign keys are not checked while loading: this measures reading, and the rows fit by construction.
    """
    generator = np.random.default_rng([seed, nodes])
    tenant_id, space_id, *others = _uuids(generator, small_spaces + 2, time.time_ns() // 1_000_000)
    with psycopg.connect(conninfo) as connection:
        connection.execute("SET session_replication_role = replica; SET maintenance_work_mem = '512MB'")
        connection.execute(
            "INSERT INTO tenant (id, name) VALUES (%s, %s)", (tenant_id, f"benchmark-{tenant_id}")
        )
        for place, other_space_id in enumerate([space_id, *others]):
            connection.execute(
                "INSERT INTO knowledge_space (id, tenant_id, name, embedding_model, embedding_dimensions)"
                " VALUES (%s, %s, %s, 'hashed-ngrams-256', 256)",
                (other_space_id, tenant_id, f"space {place}"),
            )
        with without_indexes(connection):
            node_seconds, edge_seconds = fill_space(
                connection, space_id, nodes=nodes, edges=5 * nodes, seed=seed
            )
            for place, other_space_id in enumerate(others):
                fill_space(connection, other_space_id, nodes=200, edges=1_000, seed=seed + place + 1)
    with psycopg.connect(conninfo, autocommit=True) as connection:
        connection.execute("VACUUM ANALYZE")
    return Generated(
        tenant_id, space_id, nodes, 5 * nodes, small_spaces, nodes / node_seconds, 5 * nodes / edge_seconds
    )
