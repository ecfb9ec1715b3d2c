-- insert_vectors: insert the vectors of those chunks that still exist into one set; existing vectors stay.
INSERT INTO chunk_vector (knowledge_space_id, chunk_id, vector_set, embedding)
SELECT c.knowledge_space_id, c.id, %(into_set)s::int, given.embedding::halfvec
FROM unnest(%(ids)s::uuid[], %(embeddings)s::text[]) AS given (id, embedding)
JOIN knowledge_chunk c ON c.knowledge_space_id = %(space_id)s AND c.id = given.id
ORDER BY c.id
FOR KEY SHARE OF c
ON CONFLICT (knowledge_space_id, chunk_id, vector_set) DO NOTHING
