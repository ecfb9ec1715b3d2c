-- remove_questions: delete golden questions, with their outcomes in all runs.
DELETE FROM golden_question WHERE knowledge_space_id = %(space_id)s AND id = ANY(%(ids)s::uuid[]) RETURNING id
