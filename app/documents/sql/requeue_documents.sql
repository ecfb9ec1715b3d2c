-- requeue_documents: queue one document, or the oldest ones, that failed or have quarantined chunks, for a job.
UPDATE document SET state = 'queued', failure_code = NULL, failure_reason = NULL, crash_count = 0, job_id = %(job)s
WHERE knowledge_space_id = %(space_id)s AND state IN ('failed', 'ready') AND id IN (
    SELECT id FROM document
    WHERE knowledge_space_id = %(space_id)s AND (state = 'failed' OR (state = 'ready' AND quarantined_chunks > 0))
      AND (%(document)s::uuid IS NULL OR id = %(document)s::uuid)
    ORDER BY id LIMIT %(limit)s
)
RETURNING id
