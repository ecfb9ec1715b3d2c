-- count_jobs_by_kind: the numbers of waiting, postponed and running jobs by kind, of at most 10,000 of each state.
SELECT live.kind, live.state, count(*)
FROM (
    (SELECT job.kind, CASE WHEN job.run_after <= now() THEN 'waiting' ELSE 'delayed' END AS state
     FROM job WHERE job.state = 'queued' LIMIT 10000)
    UNION ALL
    (SELECT job.kind, 'running' FROM job WHERE job.state = 'running' LIMIT 10000)
) AS live
GROUP BY live.kind, live.state
