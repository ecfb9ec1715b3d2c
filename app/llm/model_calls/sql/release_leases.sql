-- release_leases: the holder's calls have ended; leases that a killed process left behind go as well.
DELETE FROM model_answer_lease
WHERE knowledge_space_id = %(space_id)s AND (holder = %(holder)s OR expires_at <= now())
