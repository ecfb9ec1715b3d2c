-- read_queue_state: the numbers of the space's waiting, postponed and running jobs, the longest wait, and the workers at work.
WITH live AS MATERIALIZED (
    SELECT state, run_after, worker FROM job
    WHERE tenant_id = %(tenant_id)s AND knowledge_space_id = %(space_id)s AND state = 'queued'
    UNION ALL
    SELECT state, run_after, worker FROM job
    WHERE tenant_id = %(tenant_id)s AND knowledge_space_id = %(space_id)s AND state = 'running'
)
SELECT
    count(*) FILTER (WHERE state = 'queued' AND run_after <= now()),
    count(*) FILTER (WHERE state = 'queued' AND run_after > now()),
    count(*) FILTER (WHERE state = 'running'),
    extract(epoch FROM now() - min(run_after) FILTER (WHERE state = 'queued' AND run_after <= now()))::float,
    coalesce(array_agg(DISTINCT worker ORDER BY worker) FILTER (WHERE worker IS NOT NULL), '{}')
FROM live
