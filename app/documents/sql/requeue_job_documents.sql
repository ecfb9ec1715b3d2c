-- requeue_job_documents: queue the documents again that a job left failed or with quarantined chunks.
-- Of the latter it reads no other chunk. How many there are, and how many of its documents need nothing.
WITH requeued AS (
    UPDATE document SET state = 'queued', failure_code = NULL, failure_reason = NULL, crash_count = 0
    WHERE knowledge_space_id = %(space_id)s AND job_id = %(job)s
      AND (state = 'failed' OR (state = 'ready' AND quarantined_chunks > 0))
    RETURNING id
)
SELECT (SELECT count(*) FROM requeued),
    (SELECT count(*) FROM document WHERE knowledge_space_id = %(space_id)s AND job_id = %(job)s
       AND state = 'ready' AND quarantined_chunks = 0)
