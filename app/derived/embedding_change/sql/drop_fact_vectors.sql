-- drop_fact_vectors: delete those of the next fact vectors, by key, that are in none of these sets; return the last key examined.
WITH part AS MATERIALIZED (
    SELECT v.edge_id, v.vector_set FROM fact_vector v
    WHERE v.knowledge_space_id = %(space_id)s AND (v.edge_id, v.vector_set) > (%(after)s::uuid, %(after_set)s::int)
    ORDER BY v.edge_id, v.vector_set LIMIT %(limit)s
), dropped AS (
    DELETE FROM fact_vector v USING part
    WHERE v.knowledge_space_id = %(space_id)s AND v.edge_id = part.edge_id AND v.vector_set = part.vector_set
      AND part.vector_set <> ALL(%(keep)s::int[])
    RETURNING v.edge_id
)
SELECT part.edge_id, part.vector_set, (SELECT count(*) FROM dropped)
FROM part ORDER BY part.edge_id DESC, part.vector_set DESC LIMIT 1
