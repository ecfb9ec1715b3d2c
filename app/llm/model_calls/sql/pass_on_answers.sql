-- pass_on_answers: leave answers that are not stored with their leases, for those who wait for them.
-- The leases no longer belong to the holder, who releases its own next, and expire after so many seconds.
UPDATE model_answer_lease AS lease
SET answer = t.answer::jsonb, holder = %(nobody)s, expires_at = now() + make_interval(secs => %(seconds)s)
FROM unnest(%(keys)s::text[], %(answers)s::text[]) AS t(key, answer)
WHERE lease.knowledge_space_id = %(space_id)s AND lease.key = t.key AND lease.holder = %(holder)s
