-- read_again: queue the documents that were read once more, for a job; those that bring their extraction along are left.
UPDATE document SET state = 'queued', failure_code = NULL, failure_reason = NULL, crash_count = 0, job_id = %(job)s
WHERE knowledge_space_id = %(space_id)s AND state = 'ready' AND format <> 'extraction'
RETURNING id
