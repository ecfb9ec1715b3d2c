-- unpark_all_jobs_and_count: make all tenants' jobs ready that were parked for this reason, which has ended for everybody.
UPDATE job SET run_after = now()
WHERE state = 'queued' AND stage = 'parked' AND error_code = %(code)s AND run_after > now()
RETURNING id
