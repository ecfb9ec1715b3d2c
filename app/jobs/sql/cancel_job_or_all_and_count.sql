-- cancel_job_or_all_and_count: cancel queued jobs at once, and ask running ones to stop; with force, fence the running ones off.
UPDATE job SET
    cancel_requested = true,
    fence = fence + CASE WHEN %(force)s THEN 1 ELSE 0 END,
    state = CASE WHEN state = 'queued' OR %(force)s THEN 'cancelled' ELSE state END,
    stage = CASE WHEN state = 'queued' OR %(force)s THEN 'cancelled' ELSE stage END,
    lease_until = CASE WHEN state = 'queued' OR %(force)s THEN NULL ELSE lease_until END,
    finalized_at = CASE WHEN state = 'queued' OR %(force)s THEN now() END
WHERE knowledge_space_id = %(space_id)s AND state IN ('queued', 'running')
  AND (%(job)s::uuid IS NULL OR id = %(job)s::uuid)
RETURNING id
