-- list_recent_failures: the jobs of all tenants that failed within the last hours, newest first; with codes only, without messages.
SELECT job.id, job.tenant_id, tenant.name, job.kind, job.error_code, job.finalized_at
FROM job JOIN tenant ON tenant.id = job.tenant_id
WHERE job.state = 'failed' AND job.finalized_at > now() - make_interval(hours => %(hours)s)
ORDER BY job.finalized_at DESC, job.id LIMIT %(limit)s
