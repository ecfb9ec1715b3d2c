-- fail_pending: fail the documents that a job will no longer process.
UPDATE document SET state = 'failed', failure_code = %(code)s, failure_reason = %(reason)s, crash_count = 0,
    updated_at = now()
WHERE knowledge_space_id = %(space_id)s AND job_id = %(job)s AND state IN ('queued', 'processing')
