-- keep_answers: store validated answers; one that is there already stays as it is.
INSERT INTO model_answer (knowledge_space_id, key, answer, of_chunks)
SELECT %(space_id)s, t.key, t.answer::jsonb, t.of_chunks
FROM unnest(%(keys)s::text[], %(answers)s::text[], %(of_chunks)s::bool[]) AS t(key, answer, of_chunks)
ORDER BY t.key
ON CONFLICT (knowledge_space_id, key) DO NOTHING
