-- reschedule_earlier: make the queued job of one kind with these arguments run so many seconds after the transaction's time at the latest.
UPDATE job SET run_after = least(run_after, now() + make_interval(secs => %(delay)s))
WHERE knowledge_space_id = %(space_id)s AND kind = %(kind)s AND arguments = %(arguments)s::jsonb AND state = 'queued'
RETURNING id
