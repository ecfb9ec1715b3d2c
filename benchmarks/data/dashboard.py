"""A space with as many documents as a page may meet, and one with as many nodes; written by SQL."""

from uuid import UUID

import numpy as np
import psycopg

from app.graph.names import normalise_name
from app.graph.resolution.name_similarity import list_likely_spelling_keys
from app.ids import create_id

DOCUMENTS = """
INSERT INTO document (knowledge_space_id, id, title, source_kind, source_uri, format, content_hash, byte_size,
    state, failure_code, failure_reason, chunk_count, created_at, updated_at)
SELECT %(space)s::uuid, gen.id, 'Report ' || gen.i || ' of ' || (ARRAY['Alder', 'Borough', 'Cobalt'])[1 + gen.i %% 3],
    'file', 'archive/' || gen.i %% 500 || '/report-' || gen.i || '.txt', (ARRAY['text', 'markdown', 'pdf'])[1 + gen.i %% 3],
    md5(gen.i::text), 4000 + gen.i %% 9000,
    CASE WHEN gen.i %% 2500 = 7 THEN 'failed' ELSE 'ready' END,
    CASE WHEN gen.i %% 2500 = 7 THEN 'unreadable' END, CASE WHEN gen.i %% 2500 = 7 THEN 'It cannot be read.' END,
    3, gen.at, gen.at
FROM (SELECT i, at, (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '7000' || 'a' ||
        substr(md5(i::text), 1, 15))::uuid AS id
    FROM (SELECT i, now() - interval '90 days' + i * interval '77 seconds' AS at
        FROM generate_series(1, %(count)s) AS i) AS dated) AS gen
"""  # noqa: E501
GIVEN = ("Ada", "Alan", "Alice", "Anna", "Ben", "Carl", "Dora", "Emil", "Eva", "Gina", "Jane", "John")
SYLLABLES = ("ba", "cor", "del", "gan", "hol", "jo", "kar", "lum", "mo", "nel", "or", "pra", "ras", "ul")


def write_documents(connection: psycopg.Connection, space_id: UUID, count: int) -> None:
    """Documents that were taken in, some hundredths of a per cent of which failed."""
    connection.execute(DOCUMENTS.encode(), {"space": str(space_id), "count": count})
    connection.execute("ANALYZE document")


def write_nodes(connection: psycopg.Connection, space_id: UUID, count: int) -> None:
    """Nodes named as persons and companies, of which many are nearly alike, with the keys of names."""
    draw = np.random.default_rng(1)
    names: dict[str, str] = {}
    while len(names) < count:
        surname = "".join(draw.choice(SYLLABLES, 2 + int(draw.integers(2)))).capitalize()
        if draw.random() < 0.5:
            given = str(draw.choice(GIVEN))
            for form in (given, given[0] + ".") if draw.random() < 0.1 else (given,):
                names[f"{form} {surname}"] = "Person"
        else:
            names[surname + str(draw.choice(["", " Inc", " Systems", " Data"]))] = "Organization"
    rows = [(create_id(), name, kind) for name, kind in list(names.items())[:count]]
    with connection.cursor() as cursor:
        with cursor.copy(
            "COPY graph_node (knowledge_space_id, id, canonical_name, node_type, mention_count, metadata)"
            " FROM STDIN"
        ) as copy:
            for node, name, kind in rows:
                copy.write_row((space_id, node, name, kind, 3, f'{{"typeVotes": {{"{kind}": 3}}}}'))
        with cursor.copy(
            "COPY node_name (knowledge_space_id, normalised_name, node_id, name, kind) FROM STDIN"
        ) as copy:
            for node, name, _ in rows:
                copy.write_row((space_id, normalise_name(name), node, name, "canonical"))
        with cursor.copy("COPY node_name_key (knowledge_space_id, key, node_id) FROM STDIN") as copy:
            for node, name, _ in rows:
                for key in sorted(list_likely_spelling_keys(name)):
                    copy.write_row((space_id, key, node))
    for table in ("graph_node", "node_name", "node_name_key"):
        connection.execute(f"ANALYZE {table}".encode())
