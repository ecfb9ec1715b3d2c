-- list_parked_jobs: queued jobs of all tenants that wait for a condition to end, such as an unreachable model server, by its code.
SELECT error_code, count(*)::int, count(DISTINCT tenant_id)::int, min(created_at), min(run_after)
FROM (
    SELECT tenant_id, error_code, created_at, run_after FROM job
    WHERE state = 'queued' AND error_code IS NOT NULL LIMIT 10000
) AS parked
GROUP BY error_code ORDER BY count(*) DESC, error_code
