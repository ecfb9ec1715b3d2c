-- find_answers: the stored answers of the space with these keys.
SELECT key, answer FROM model_answer
WHERE knowledge_space_id = %(space_id)s AND key = ANY(%(keys)s::text[])
