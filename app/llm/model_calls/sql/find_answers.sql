-- find_answers: the answers of the space with these keys, stored or, for who has waited for them, passed on with a lease.
SELECT key, answer FROM model_answer
WHERE knowledge_space_id = %(space_id)s AND key = ANY(%(keys)s::text[])
UNION ALL
SELECT key, answer FROM model_answer_lease
WHERE %(has_waited)s::bool AND knowledge_space_id = %(space_id)s AND key = ANY(%(keys)s::text[])
  AND answer IS NOT NULL AND expires_at > now()
