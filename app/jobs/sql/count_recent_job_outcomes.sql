-- count_recent_job_outcomes: the numbers of jobs of all tenants that ended within the last minutes, by state, and the durations of those that are done.
SELECT count(*) FILTER (WHERE state = 'done')::int, count(*) FILTER (WHERE state = 'failed')::int,
    coalesce(percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM finalized_at - started_at))
        FILTER (WHERE state = 'done'), 0)::float
FROM job WHERE finalized_at > now() - make_interval(mins => %(minutes)s)
