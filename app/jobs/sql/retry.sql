-- retry: put a failed or cancelled job back into the queue, as if new.
UPDATE job SET state = 'queued', stage = 'waiting', run_after = now(), finalized_at = NULL,
    cancel_requested = false, failures = 0, crash_count = 0, error_code = NULL, error_message = NULL
WHERE knowledge_space_id = %(space_id)s AND id = %(job)s AND state IN ('failed', 'cancelled')
RETURNING id
