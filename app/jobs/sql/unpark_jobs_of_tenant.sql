-- unpark_jobs_of_tenant: let parked jobs be claimed now: what they waited for has come.
UPDATE job SET run_after = now()
WHERE state = 'queued' AND stage = 'parked' AND error_code = %(code)s AND tenant_id = %(tenant_id)s
RETURNING id
