-- unpark_jobs_of_tenant_and_count: make the tenant's parked jobs ready, whose reason has ended.
UPDATE job SET run_after = now()
WHERE state = 'queued' AND stage = 'parked' AND error_code = %(code)s AND tenant_id = %(tenant_id)s
RETURNING id
