-- requeue_failed: queue again the documents that a job left failed.
UPDATE document SET state = 'queued', failure_code = NULL, failure_reason = NULL, crash_count = 0
WHERE knowledge_space_id = %(space_id)s AND job_id = %(job)s AND state = 'failed'
