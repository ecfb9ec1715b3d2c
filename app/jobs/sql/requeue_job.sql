-- requeue_job: put an ended job back into the queue as if new, or make a postponed one ready.
-- A done one only where it left something unread. It counts on from the documents that it has read to the end.
UPDATE job SET state = 'queued', run_after = now(), finalized_at = NULL, cancel_requested = false,
    stage = CASE WHEN state = 'queued' THEN stage ELSE 'waiting' END,
    failures = CASE WHEN state = 'queued' THEN failures ELSE 0 END,
    crash_count = CASE WHEN state = 'queued' THEN crash_count ELSE 0 END,
    error_code = CASE WHEN state = 'queued' THEN error_code END,
    error_message = CASE WHEN state = 'queued' THEN error_message END,
    progress = CASE WHEN state = 'queued' OR %(documents)s = 0 THEN progress
                    ELSE 100.0 * %(read)s / %(documents)s END,
    counts = CASE WHEN state = 'queued' OR %(documents)s = 0 THEN counts
                  ELSE counts || jsonb_build_object('documents', %(read)s::int, 'taken', %(read)s::int,
                                                    'failed_documents', 0, 'failed_chunks', 0) END
WHERE knowledge_space_id = %(space_id)s AND id = %(job)s
  AND (state IN ('failed', 'cancelled') OR (state = 'done' AND %(unread)s > 0)
       OR (state = 'queued' AND error_code IS NOT NULL))
RETURNING id
