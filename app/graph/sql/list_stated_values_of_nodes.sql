-- list_stated_values_of_nodes: the values that chunks state for these nodes, each once with its evidence, current ones first.
-- With `as_of` only values stated by then and not ended by then count. Only the first `scan` rows of a node are read.
-- The most trusted documents decide, of those the latest, then most of them.
SELECT wanted.id, said.name, said.value, said.holds, said.stated_at, said.quote, said.char_start, said.char_end,
    said.chunk_id, said.document_id, said.title, said.chunk_start, said.places
FROM unnest((SELECT %(nodes)s::uuid[])) WITH ORDINALITY AS wanted (id, place)
CROSS JOIN LATERAL (
    SELECT voted.name, voted.value, voted.standing = 1 AS holds, voted.standing, voted.stated_at, voted.quote,
        voted.char_start, voted.char_end, chunk.id AS chunk_id, chunk.document_id, document.title,
        chunk.char_start AS chunk_start, coalesce(chunk.places, to_jsonb(chunk.place)) AS places
    FROM (
        SELECT best.*, row_number() OVER (
            PARTITION BY best.name
            ORDER BY best.trust DESC NULLS LAST, best.stated_at DESC NULLS LAST, best.times DESC, best.value) AS standing
        FROM (
            SELECT DISTINCT ON (a.name, a.value) a.name, a.value, a.stated_at, a.quote, a.char_start, a.char_end, a.chunk_id,
                source.trust, count(*) OVER (PARTITION BY a.name, a.value, source.trust) AS times
            FROM (
                SELECT * FROM node_attribute
                WHERE knowledge_space_id = %(space_id)s AND node_id = wanted.id AND confidence IS NULL
                LIMIT (SELECT %(scan)s::int)
            ) AS a
            LEFT JOIN LATERAL (
                SELECT document_id FROM knowledge_chunk
                WHERE knowledge_space_id = %(space_id)s AND id = a.chunk_id LIMIT 1
            ) AS stating ON true
            LEFT JOIN LATERAL (
                SELECT trust FROM document
                WHERE knowledge_space_id = %(space_id)s AND id = stating.document_id LIMIT 1
            ) AS source ON true
            WHERE (%(as_of)s::timestamptz IS NULL OR a.stated_at IS NULL OR a.stated_at <= %(as_of)s::timestamptz)
              AND (a.ended_at IS NULL OR a.ended_at > %(as_of)s::timestamptz)
            ORDER BY a.name, a.value, source.trust DESC NULLS LAST, a.stated_at DESC NULLS LAST, a.chunk_id
        ) AS best
    ) AS voted
    JOIN knowledge_chunk AS chunk ON chunk.knowledge_space_id = %(space_id)s AND chunk.id = voted.chunk_id
    JOIN document ON document.knowledge_space_id = %(space_id)s AND document.id = chunk.document_id
    ORDER BY voted.standing, voted.name LIMIT (SELECT %(per_node)s::int)
) AS said
ORDER BY wanted.place, said.name, said.standing
LIMIT (SELECT %(limit)s::int)
