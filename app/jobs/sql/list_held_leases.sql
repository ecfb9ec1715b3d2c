-- list_held_leases: the jobs with a current lease, the one that expires first first.
SELECT job.id, job.worker, job.kind, job.stage, job.progress, job.attempt, job.lease_until, job.started_at,
    tenant.name
FROM job JOIN tenant ON tenant.id = job.tenant_id
WHERE job.state = 'running' ORDER BY job.lease_until LIMIT %(limit)s
