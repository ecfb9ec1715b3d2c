-- insert_answers: store validated answers; existing ones stay as they are.
INSERT INTO model_answer (knowledge_space_id, key, answer, of_chunks)
SELECT here.knowledge_space_id, t.key, t.answer::jsonb, t.of_chunks
FROM unnest(%(keys)s::text[], %(answers)s::text[], %(of_chunks)s::bool[]) AS t(key, answer, of_chunks)
JOIN space_anchor AS here ON here.knowledge_space_id = %(space_id)s
ORDER BY t.key
ON CONFLICT (knowledge_space_id, key) DO NOTHING
