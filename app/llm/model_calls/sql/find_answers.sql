-- find_answers: the answers that the space has already, of these keys.
SELECT key, answer FROM model_answer
WHERE knowledge_space_id = %(space_id)s AND key = ANY(%(keys)s::text[])
