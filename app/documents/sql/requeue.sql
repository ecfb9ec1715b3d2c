-- requeue: queue one failed document again, or the oldest of all that failed, for a job that is to take them in.
UPDATE document SET state = 'queued', failure_code = NULL, failure_reason = NULL, crash_count = 0, job_id = %(job)s
WHERE knowledge_space_id = %(space_id)s AND state = 'failed' AND id IN (
    SELECT id FROM document
    WHERE knowledge_space_id = %(space_id)s AND state = 'failed'
      AND (%(document)s::uuid IS NULL OR id = %(document)s::uuid)
    ORDER BY id LIMIT %(limit)s
)
RETURNING id
