-- retry: put a failed or cancelled job back into the queue, as if new; let one that was put off be claimed now.
UPDATE job SET state = 'queued', run_after = now(), finalized_at = NULL, cancel_requested = false,
    stage = CASE WHEN state = 'queued' THEN stage ELSE 'waiting' END,
    failures = CASE WHEN state = 'queued' THEN failures ELSE 0 END,
    crash_count = CASE WHEN state = 'queued' THEN crash_count ELSE 0 END,
    error_code = CASE WHEN state = 'queued' THEN error_code END,
    error_message = CASE WHEN state = 'queued' THEN error_message END
WHERE knowledge_space_id = %(space_id)s AND id = %(job)s
  AND (state IN ('failed', 'cancelled') OR (state = 'queued' AND error_code IS NOT NULL))
RETURNING id
