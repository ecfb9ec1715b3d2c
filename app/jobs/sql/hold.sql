-- hold: renew the claim's lease and note progress; no row where another worker holds the job by now.
UPDATE job SET lease_until = now() + make_interval(secs => %(lease)s),
    stage = coalesce(%(stage)s, stage), progress = coalesce(%(progress)s, progress),
    counts = counts || %(counts)s::jsonb, crash_count = CASE WHEN %(progressed)s THEN 0 ELSE crash_count END
WHERE knowledge_space_id = %(space_id)s AND id = %(job)s AND fence = %(fence)s AND state = 'running'
RETURNING cancel_requested
