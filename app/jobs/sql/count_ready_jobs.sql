-- count_ready_jobs: the number of jobs that can be claimed, counted up to a bound.
SELECT count(*) FROM (
    SELECT 1 FROM job WHERE state = 'queued' AND run_after <= now() LIMIT %(bound)s
) AS ready
