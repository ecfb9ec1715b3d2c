-- record_step: where a job stands, written as the last statement of a step: the row is locked for a moment only.
UPDATE job SET lease_until = greatest(lease_until, clock_timestamp() + make_interval(secs => %(seconds)s)),
    stage = coalesce(%(stage)s, stage), progress = coalesce(%(progress)s, progress),
    counts = counts || %(counts)s::jsonb, crash_count = CASE WHEN %(progressed)s THEN 0 ELSE crash_count END
WHERE knowledge_space_id = %(space_id)s AND id = %(job)s AND fence = %(fence)s AND state = 'running'
