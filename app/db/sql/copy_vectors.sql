-- copy_vectors: copy the next batch of a space's vectors by key from one of its tables to another; return the last key.
-- `source_vectors`, `target_vectors` and `vector_key` stand for names that the caller puts in.
-- One that is there already, and is another, was written anew since.
WITH part AS MATERIALIZED (
    SELECT v.vector_key AS id, v.vector_set, v.embedding FROM source_vectors AS v
    WHERE v.knowledge_space_id = %(space_id)s AND (v.vector_key, v.vector_set) > (%(after)s::uuid, %(after_set)s::int)
    ORDER BY v.vector_key, v.vector_set LIMIT %(limit)s
), copied AS (
    INSERT INTO target_vectors AS t (knowledge_space_id, vector_key, vector_set, embedding)
    SELECT %(space_id)s, part.id, part.vector_set, part.embedding FROM part ORDER BY part.id, part.vector_set
    ON CONFLICT (knowledge_space_id, vector_key, vector_set) DO UPDATE SET embedding = excluded.embedding
    WHERE t.embedding <> excluded.embedding
)
SELECT part.id, part.vector_set FROM part ORDER BY part.id DESC, part.vector_set DESC LIMIT 1
