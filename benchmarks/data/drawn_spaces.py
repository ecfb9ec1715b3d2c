"""Spaces of any size with communities of their own, written by SQL for tests and benchmarks to draw."""

import hashlib
from uuid import UUID

import psycopg

FILL = """
INSERT INTO document (knowledge_space_id, id, title, source_kind, format, content_hash, byte_size, state)
VALUES (%(space)s::uuid, md5(%(space)s::text || 'd')::uuid, 'Generated', 'file', 'text', %(space)s::text, 1000, 'ready');
INSERT INTO knowledge_chunk (knowledge_space_id, id, document_id, ordinal, text, char_start, char_end, heading_path,
    token_count, content_hash)
SELECT %(space)s::uuid, md5(%(space)s::text || 'h' || i)::uuid, md5(%(space)s::text || 'd')::uuid, i,
    'Before it. It says so. After it.', i * 40, i * 40 + 32, '{{}}', 8, %(space)s::text || i
FROM generate_series(0, 99) AS i;
INSERT INTO graph_node (knowledge_space_id, id, canonical_name, node_type, mention_count, out_degree, in_degree,
    confidence)
SELECT %(space)s::uuid, md5(%(space)s::text || 'n' || i)::uuid, 'Thing ' || i,
    (ARRAY['Product', 'Person', 'Concept', 'Organization', 'Technology', 'Location'])[1 + i %% 6],
    1 + 400 / (1 + i / 20), 3, 3, 0.5 + (i * 37 %% 50) / 100.0
FROM generate_series(0, {nodes} - 1) AS i;
INSERT INTO node_name (knowledge_space_id, normalised_name, node_id, name, kind)
SELECT knowledge_space_id, lower(canonical_name), id, canonical_name, 'canonical' FROM graph_node
WHERE knowledge_space_id = %(space)s::uuid;
INSERT INTO graph_edge (knowledge_space_id, id, from_node_id, to_node_id, relation_type, weight, metadata,
    extraction_key, evidence_chunk_id, valid_from, invalidated_at)
SELECT %(space)s::uuid, md5(%(space)s::text || 'e' || i)::uuid, md5(%(space)s::text || 'n' || source)::uuid,
    md5(%(space)s::text || 'n' || CASE
        WHEN chance < 7 THEN (source + {fine} * (1 + any_number %% ({nodes} / {fine} - 1))) %% {nodes}
        WHEN chance < 9 THEN (source + {top} * (1 + any_number %% ({nodes} / {top} - 1))) %% {nodes}
        ELSE (source + 1 + any_number) %% {nodes} END)::uuid,
    (ARRAY['uses', 'part_of', 'depends_on', 'knows', 'located_in'])[1 + i %% 5], (i * 31 %% 1000) / 1000.0,
    jsonb_build_object('confidence', 0.5 + (i * 7 %% 50) / 100.0, 'quote', 'It says so.', 'charStart', 11, 'charEnd', 22),
    md5(%(space)s::text || 'k' || i)::uuid,
    CASE WHEN i %% 100 = 0 THEN NULL ELSE md5(%(space)s::text || 'h' || i %% 100)::uuid END,
    '2015-01-01'::timestamptz + i %% 4000 * interval '1 day',
    CASE WHEN i %% 50 = 1 THEN '2025-06-01'::timestamptz + i %% 300 * interval '1 day' END
FROM (SELECT i, abs(hashint8(i)::bigint) %% {nodes} AS source, abs(hashint8(i + 10000000)::bigint) %% {nodes} AS any_number,
    abs(hashint8(i + 20000000)::bigint) %% 10 AS chance FROM generate_series(0, {edges}::bigint - 1) AS i) AS made;
INSERT INTO community (knowledge_space_id, id, level, parent_id, member_count, weight, content_hash, title)
SELECT %(space)s::uuid, md5(%(space)s::text || 'top' || i)::uuid, 0, NULL,
    (SELECT count(*) FROM generate_series(i, {nodes} - 1 - {loose}, {top})), 1, md5('t' || i)::uuid, 'Field ' || i
FROM generate_series(0, {top} - 1) AS i
UNION ALL
SELECT %(space)s::uuid, md5(%(space)s::text || 'fine' || i)::uuid, 1, md5(%(space)s::text || 'top' || i %% {top})::uuid,
    (SELECT count(*) FROM generate_series(i, {nodes} - 1 - {loose}, {fine})), 1, md5('f' || i)::uuid, 'Part ' || i
FROM generate_series(0, {fine} - 1) AS i;
INSERT INTO community_member (knowledge_space_id, node_id, community_id, weight)
SELECT %(space)s::uuid, md5(%(space)s::text || 'n' || i)::uuid, md5(%(space)s::text || 'fine' || i %% {fine})::uuid,
    (i * 11 %% 100) / 10.0 FROM generate_series(0, {nodes} - 1 - {loose}) AS i;
INSERT INTO community_run (knowledge_space_id, id, graph_revision, read_at, seed, min_weight, levels, nodes, pairs,
    communities, modularity)
VALUES (%(space)s::uuid, md5(%(space)s::text || 'run')::uuid, 0, now(), 1, 0.5, 2, {nodes}, {edges},
    {top} + {fine}, 0.5);
"""  # noqa: E501


def fill_space(
    connection: psycopg.Connection,
    space_id: UUID,
    *,
    nodes: int,
    edges: int,
    top: int,
    fine: int,
    loose: int = 0,
) -> None:
    """Write the space's graph with `top` communities that divide into `fine`; the last `loose` nodes are in
    none.

    `top` has to divide `fine`, and `fine` the nodes. Takes a superuser: no trigger runs, no key is checked.
    """
    text = FILL.format(nodes=nodes, edges=edges, top=top, fine=fine, loose=loose)
    connection.execute("SET session_replication_role = replica")
    for statement in text.split(";\n"):
        if statement.strip():
            connection.execute(statement.encode(), {"space": str(space_id)})
    connection.execute("SET session_replication_role = DEFAULT")
    for table in ("graph_node", "graph_edge", "community", "community_member"):
        connection.execute(f"ANALYZE {table}".encode())


def node_id(space_id: UUID, number: int) -> UUID:
    """The id of a generated node, as the statements above make it."""
    return _hashed(f"{space_id}n{number}")


def community_id(space_id: UUID, kind: str, number: int) -> UUID:
    """The id of a generated community, `top` or `fine`."""
    return _hashed(f"{space_id}{kind}{number}")


def _hashed(text: str) -> UUID:
    return UUID(hex=hashlib.md5(text.encode(), usedforsecurity=False).hexdigest())
