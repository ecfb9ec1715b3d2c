-- finish: end a lease: to a final state, or back to the queue after a delay.
UPDATE job SET state = %(state)s, stage = %(stage)s, lease_until = NULL, worker = NULL,
    progress = CASE WHEN %(state)s = 'done' THEN 100 ELSE progress END,
    attempt = attempt - %(uncount)s, failures = failures + %(failed)s, crash_count = 0,
    counts = counts || %(counts)s::jsonb,
    error_code = %(error_code)s, error_message = %(error_message)s,
    run_after = now() + make_interval(secs => %(delay)s),
    finalized_at = CASE WHEN %(state)s IN ('done', 'failed', 'cancelled') THEN now() END
WHERE knowledge_space_id = %(space_id)s AND id = %(job)s AND fence = %(fence)s AND state = 'running'
RETURNING failures, max_attempts
