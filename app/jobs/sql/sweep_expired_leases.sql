-- sweep_expired_leases: requeue the jobs of expired leases, and count the expirations in a row.
-- FOR UPDATE passes over a job while a step of it is being written, and steps lock it FOR KEY SHARE: none is cut in two.
UPDATE job SET state = 'queued', stage = 'waiting', crash_count = crash_count + 1, fence = fence + 1,
    lease_until = NULL, worker = NULL
WHERE (knowledge_space_id, id) IN (
    SELECT knowledge_space_id, id FROM job WHERE state = 'running' AND lease_until < clock_timestamp()
    ORDER BY knowledge_space_id, id FOR UPDATE SKIP LOCKED
)
RETURNING id
