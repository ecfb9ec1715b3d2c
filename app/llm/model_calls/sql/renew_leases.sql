-- renew_leases: the holder lives and still waits for the model.
UPDATE model_answer_lease SET expires_at = now() + make_interval(secs => %(seconds)s)
WHERE knowledge_space_id = %(space_id)s AND holder = %(holder)s
