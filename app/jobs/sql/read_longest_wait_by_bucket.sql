-- read_longest_wait_by_bucket: the seconds that the oldest ready job of each bucket of tenants has waited; one index lookup for each tenant.
-- A tenant is always in the same bucket, which names no tenant.
WITH RECURSIVE waiting AS (
    (SELECT job.tenant_id FROM job WHERE job.state = 'queued' ORDER BY job.tenant_id LIMIT 1)
    UNION ALL
    SELECT (SELECT job.tenant_id FROM job WHERE job.state = 'queued' AND job.tenant_id > waiting.tenant_id
            ORDER BY job.tenant_id LIMIT 1)
    FROM waiting WHERE waiting.tenant_id IS NOT NULL
)
SELECT ((hashtextextended(waiting.tenant_id::text, 0) %% %(buckets)s + %(buckets)s) %% %(buckets)s)::int AS bucket,
    max(extract(epoch FROM now() - first.run_after))::float
FROM waiting CROSS JOIN LATERAL (
    SELECT job.run_after FROM job
    WHERE job.tenant_id = waiting.tenant_id AND job.state = 'queued' AND job.run_after <= now()
    ORDER BY job.run_after LIMIT 1
) AS first
GROUP BY bucket
