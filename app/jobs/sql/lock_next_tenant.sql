-- lock_next_tenant: the next tenant to serve: with the fewest running jobs, then the longest unserved; its row stays locked.
SELECT t.id
FROM tenant t
CROSS JOIN LATERAL (
    SELECT 1 FROM job q
    WHERE q.tenant_id = t.id AND q.state = 'queued' AND q.run_after <= now()
      AND q.schema_version <= %(schema_version)s AND q.kind = ANY(%(kinds)s::text[])
    LIMIT 1
) AS ready
CROSS JOIN LATERAL (
    SELECT count(*) AS jobs FROM job r WHERE r.tenant_id = t.id AND r.state = 'running'
) AS running
WHERE running.jobs < t.max_running_jobs
ORDER BY running.jobs, t.last_claimed_at NULLS FIRST, t.id
LIMIT 1
FOR NO KEY UPDATE OF t SKIP LOCKED
