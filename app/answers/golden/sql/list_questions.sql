-- list_questions: the golden questions of the space, oldest first.
SELECT id, question, answers, sources, created_at FROM golden_question
WHERE knowledge_space_id = %(space_id)s ORDER BY id
