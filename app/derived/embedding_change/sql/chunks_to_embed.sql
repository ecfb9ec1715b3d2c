-- chunks_to_embed: of the next chunks by id those without a vector in one set, with their texts; and the last id.
-- A text stands behind the header of the table that it goes on with (app/domain/table_headers.py).
-- A row without a chunk where none of them lacks one; no row after the last chunk.
WITH part AS MATERIALIZED (
    SELECT c.id,
        CASE WHEN c.heading_path[cardinality(c.heading_path)] LIKE '| %% |'
            THEN c.heading_path[cardinality(c.heading_path)] || E'\n' || c.text ELSE c.text END AS text
    FROM knowledge_chunk c
    WHERE c.knowledge_space_id = %(space_id)s AND c.id > %(after)s ORDER BY c.id LIMIT %(limit)s
), bare AS (
    SELECT part.id, part.text FROM part
    WHERE (
        SELECT v.chunk_id FROM chunk_vector v
        WHERE v.knowledge_space_id = %(space_id)s AND v.chunk_id = part.id AND v.vector_set = %(into_set)s LIMIT 1
    ) IS NULL
)
SELECT last.id, bare.id, bare.text
FROM (SELECT part.id FROM part ORDER BY part.id DESC LIMIT 1) AS last LEFT JOIN bare ON true
