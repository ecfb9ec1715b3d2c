-- reschedule_earlier: make the queued job of one kind with these arguments run in so many seconds at the latest.
UPDATE job SET run_after = least(run_after, clock_timestamp() + make_interval(secs => %(delay)s))
WHERE knowledge_space_id = %(space_id)s AND kind = %(kind)s AND arguments = %(arguments)s::jsonb AND state = 'queued'
RETURNING id
