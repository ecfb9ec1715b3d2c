-- reschedule_queued_job_later: postpone the queued jobs of one kind, each at most so long after it was created.
UPDATE job SET run_after = least(clock_timestamp() + make_interval(secs => %(delay)s),
    created_at + make_interval(secs => %(max_delay)s))
WHERE knowledge_space_id = %(space_id)s AND kind = %(kind)s AND state = 'queued'
RETURNING id
