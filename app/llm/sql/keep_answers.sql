-- keep_answers: store validated answers; one that is there already stays as it is.
INSERT INTO model_answer (knowledge_space_id, key, answer)
SELECT %(space_id)s, t.key, t.answer::jsonb
FROM unnest(%(keys)s::text[], %(answers)s::text[]) AS t(key, answer)
ORDER BY t.key
ON CONFLICT (knowledge_space_id, key) DO NOTHING
