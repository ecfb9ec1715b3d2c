-- store_outcome: store the outcome of a golden question in a run, once; nothing if the question was deleted meanwhile.
INSERT INTO golden_outcome (knowledge_space_id, job_id, question_id, reply, answer_held, source_cited, seconds, cost_usd)
SELECT here.knowledge_space_id, %(run)s, question.id, %(reply)s, %(answer_matched)s, %(source_cited)s, %(seconds)s, %(cost_usd)s
FROM golden_question AS question
JOIN space_anchor AS here ON here.knowledge_space_id = %(space_id)s
WHERE question.knowledge_space_id = %(space_id)s AND question.id = %(question)s
ON CONFLICT (knowledge_space_id, job_id, question_id) DO NOTHING
