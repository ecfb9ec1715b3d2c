-- reconcile_vectors: make one of a space's tables of vectors equal to another, while both are locked against writes.
-- `source_vectors`, `target_vectors` and `vector_key` stand for names that the caller puts in.
-- First what has gone or is another, then what is missing: one statement could not insert what it has just deleted.
DELETE FROM target_vectors AS t WHERE t.knowledge_space_id = %(space_id)s AND NOT EXISTS (
    SELECT 1 FROM source_vectors AS v WHERE v.knowledge_space_id = %(space_id)s AND v.vector_key = t.vector_key AND v.vector_set = t.vector_set
      AND v.embedding = t.embedding
) RETURNING 1;
INSERT INTO target_vectors (knowledge_space_id, vector_key, vector_set, embedding)
SELECT %(space_id)s, v.vector_key, v.vector_set, v.embedding FROM source_vectors AS v
WHERE v.knowledge_space_id = %(space_id)s AND NOT EXISTS (
    SELECT 1 FROM target_vectors AS t WHERE t.knowledge_space_id = %(space_id)s AND t.vector_key = v.vector_key AND t.vector_set = v.vector_set
) RETURNING 1
