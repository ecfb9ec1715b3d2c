-- unpark_all_jobs: let jobs of all tenants that were parked for that reason be claimed now: it has ended for everybody.
UPDATE job SET run_after = now()
WHERE state = 'queued' AND stage = 'parked' AND error_code = %(code)s AND run_after > now()
RETURNING id
