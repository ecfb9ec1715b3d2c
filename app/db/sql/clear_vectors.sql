-- clear_vectors: delete a batch of a space's vectors from one of its tables; a row if there were any.
-- `source_vectors` and `vector_key` stand for names that the caller puts in.
WITH part AS MATERIALIZED (
    SELECT v.vector_key AS id, v.vector_set FROM source_vectors AS v WHERE v.knowledge_space_id = %(space_id)s
    ORDER BY v.vector_key, v.vector_set LIMIT %(limit)s
), gone AS (
    DELETE FROM source_vectors AS v USING part
    WHERE v.knowledge_space_id = %(space_id)s AND v.vector_key = part.id AND v.vector_set = part.vector_set
)
SELECT 1 FROM part LIMIT 1
