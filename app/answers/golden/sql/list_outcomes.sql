-- list_outcomes: the outcomes of the golden questions of a run, in the order of the questions.
SELECT question_id, reply, answer_held, source_cited, seconds, cost_usd FROM golden_outcome
WHERE knowledge_space_id = %(space_id)s AND job_id = %(run)s ORDER BY question_id
