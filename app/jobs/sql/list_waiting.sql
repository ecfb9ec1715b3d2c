-- list_waiting: the numbers of the space's queued jobs by kind and by the reason for waiting, with the earliest time.
-- What a worker may take comes first, and within that who waits longest.
SELECT kind, is_delayed, error_code, min(error_message), count(*)::int, min(created_at), min(run_after),
    (array_agg(id ORDER BY run_after, id))[1]
FROM (
    SELECT id, kind, run_after > now() AS is_delayed, error_code, error_message, created_at, run_after FROM job
    WHERE tenant_id = %(tenant_id)s AND knowledge_space_id = %(space_id)s AND state = 'queued'
) AS waiting
GROUP BY kind, is_delayed, error_code
ORDER BY is_delayed, min(run_after), kind LIMIT %(limit)s
