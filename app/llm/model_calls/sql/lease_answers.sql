-- lease_answers: take the leases of these answers that no other holder has, or had and did not renew.
-- An answer that was passed on is for those who have waited for it; others ask anew.
-- The new end is so many seconds ahead: an old one that is as long before it has passed. A cluster allows no now() there.
INSERT INTO model_answer_lease AS lease (knowledge_space_id, key, holder, expires_at)
SELECT here.knowledge_space_id, t.key, %(holder)s, now() + make_interval(secs => %(seconds)s)
FROM unnest(%(keys)s::text[]) AS t(key)
JOIN space_anchor AS here ON here.knowledge_space_id = %(space_id)s
ORDER BY t.key
ON CONFLICT (knowledge_space_id, key) DO UPDATE
SET holder = excluded.holder, expires_at = excluded.expires_at, answer = NULL
WHERE excluded.expires_at - lease.expires_at >= make_interval(secs => %(seconds)s)
    OR (lease.answer IS NOT NULL AND NOT %(has_waited)s::bool)
RETURNING lease.key
