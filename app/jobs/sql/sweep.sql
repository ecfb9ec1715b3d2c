-- sweep: take jobs back from workers whose lease ran out; too many such ends in a row make a job failed.
UPDATE job SET
    state = CASE WHEN cancel_requested THEN 'cancelled'
                 WHEN crash_count + 1 >= %(max_crashes)s THEN 'failed' ELSE 'queued' END,
    stage = CASE WHEN cancel_requested THEN 'cancelled'
                 WHEN crash_count + 1 >= %(max_crashes)s THEN 'failed' ELSE 'waiting' END,
    error_code = CASE WHEN NOT cancel_requested AND crash_count + 1 >= %(max_crashes)s THEN 'poison' END,
    error_message = CASE WHEN NOT cancel_requested AND crash_count + 1 >= %(max_crashes)s
                         THEN 'Workers died on it repeatedly; it was set aside.' END,
    finalized_at = CASE WHEN cancel_requested OR crash_count + 1 >= %(max_crashes)s THEN now() END,
    crash_count = crash_count + 1, fence = fence + 1, lease_until = NULL, worker = NULL
WHERE (knowledge_space_id, id) IN (
    SELECT knowledge_space_id, id FROM job WHERE state = 'running' AND lease_until < now()
    ORDER BY knowledge_space_id, id FOR UPDATE SKIP LOCKED
)
RETURNING tenant_id, knowledge_space_id, id, kind, state
