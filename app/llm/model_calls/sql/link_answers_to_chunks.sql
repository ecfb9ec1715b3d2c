-- link_answers_to_chunks: store which chunks the stored answers are about.
INSERT INTO model_answer_chunk (knowledge_space_id, chunk_id, key)
SELECT answer.knowledge_space_id, t.chunk_id, t.key
FROM unnest(%(keys)s::text[], %(chunks)s::uuid[]) AS t(key, chunk_id)
JOIN model_answer AS answer ON answer.knowledge_space_id = %(space_id)s AND answer.key = t.key AND answer.of_chunks
ORDER BY t.chunk_id, t.key
ON CONFLICT DO NOTHING
