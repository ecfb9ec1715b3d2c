-- mark_failed: fail a document, with the reason.
UPDATE document SET state = 'failed', failure_code = %(code)s, failure_reason = %(reason)s, crash_count = 0,
    updated_at = now()
WHERE knowledge_space_id = %(space_id)s AND id = %(id)s
