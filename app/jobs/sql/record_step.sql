-- record_step: store the progress of a job; the last statement of a step, so that the row is locked briefly.
UPDATE job SET lease_until = greatest(lease_until, clock_timestamp() + make_interval(secs => %(seconds)s)),
    stage = coalesce(%(stage)s, stage), progress = coalesce(%(progress)s, progress),
    counts = counts || %(counts)s::jsonb, crash_count = CASE WHEN %(progressed)s THEN 0 ELSE crash_count END
WHERE knowledge_space_id = %(space_id)s AND id = %(job)s AND fence = %(fence)s AND state = 'running'
