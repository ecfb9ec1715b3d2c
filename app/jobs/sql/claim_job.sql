-- claim_job: claim the locked tenant's oldest ready job, after counting its running jobs again.
WITH served AS (
    UPDATE tenant SET last_claimed_at = clock_timestamp() WHERE id = %(tenant)s RETURNING max_running_jobs
), next AS (
    SELECT knowledge_space_id, id FROM job
    WHERE tenant_id = %(tenant)s AND state = 'queued' AND run_after <= now()
      AND schema_version <= %(schema_version)s AND kind = ANY(%(kinds)s::text[])
      AND (SELECT count(*) FROM job r WHERE r.tenant_id = %(tenant)s AND r.state = 'running')
          < (SELECT max_running_jobs FROM served)
    ORDER BY run_after, created_at
    LIMIT 1
    FOR UPDATE SKIP LOCKED
)
UPDATE job SET state = 'running', stage = 'starting', attempt = attempt + 1, fence = fence + 1,
    lease_until = clock_timestamp() + make_interval(secs => %(seconds)s), worker = %(worker)s,
    started_at = coalesce(started_at, now()), error_code = NULL, error_message = NULL
FROM next
WHERE job.knowledge_space_id = next.knowledge_space_id AND job.id = next.id
RETURNING job.tenant_id, job.knowledge_space_id, job.id, job.kind, job.arguments, job.fence, job.crash_count,
    job.trace_parent
