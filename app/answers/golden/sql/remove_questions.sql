-- remove_questions: remove golden questions, with what became of them in all runs.
DELETE FROM golden_question WHERE knowledge_space_id = %(space_id)s AND id = ANY(%(ids)s::uuid[]) RETURNING id
