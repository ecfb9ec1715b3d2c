-- list_tenants_in_queue: the tenants with waiting or running jobs, of at most 10,000 of each, the longest waiting first.
SELECT tenant.id, tenant.name, tenant.max_running_jobs, tenant.last_claimed_at, counted.ready, counted.later,
    counted.oldest, counted.running
FROM (
    SELECT each_job.tenant_id,
        count(*) FILTER (WHERE each_job.state = 'queued' AND each_job.run_after <= now()) AS ready,
        count(*) FILTER (WHERE each_job.state = 'queued' AND each_job.run_after > now()) AS later,
        min(each_job.run_after) FILTER (WHERE each_job.state = 'queued' AND each_job.run_after <= now()) AS oldest,
        count(*) FILTER (WHERE each_job.state = 'running') AS running
    FROM (
        (SELECT job.tenant_id, job.state, job.run_after FROM job WHERE job.state = 'queued' LIMIT 10000)
        UNION ALL
        (SELECT job.tenant_id, job.state, job.run_after FROM job WHERE job.state = 'running' LIMIT 10000)
    ) AS each_job
    GROUP BY each_job.tenant_id
) AS counted
JOIN tenant ON tenant.id = counted.tenant_id
ORDER BY counted.oldest NULLS LAST, tenant.id LIMIT %(limit)s
