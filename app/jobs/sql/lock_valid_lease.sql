-- lock_valid_lease: check that a lease is valid, and lock it until the transaction ends; heartbeats do not wait for this lock.
SELECT cancel_requested FROM job
WHERE knowledge_space_id = %(space_id)s AND id = %(job)s AND fence = %(fence)s AND state = 'running'
FOR KEY SHARE
