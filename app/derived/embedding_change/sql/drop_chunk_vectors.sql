-- drop_chunk_vectors: delete those of the next chunk vectors, by key, that are in none of these sets; return the last key examined.
WITH part AS MATERIALIZED (
    SELECT v.chunk_id, v.vector_set FROM chunk_vector v
    WHERE v.knowledge_space_id = %(space_id)s AND (v.chunk_id, v.vector_set) > (%(after)s::uuid, %(after_set)s::int)
    ORDER BY v.chunk_id, v.vector_set LIMIT %(limit)s
), dropped AS (
    DELETE FROM chunk_vector v USING part
    WHERE v.knowledge_space_id = %(space_id)s AND v.chunk_id = part.chunk_id AND v.vector_set = part.vector_set
      AND part.vector_set <> ALL(%(keep)s::int[])
    RETURNING v.chunk_id
)
SELECT part.chunk_id, part.vector_set, (SELECT count(*) FROM dropped)
FROM part ORDER BY part.chunk_id DESC, part.vector_set DESC LIMIT 1
