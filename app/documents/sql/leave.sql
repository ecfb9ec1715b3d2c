-- leave: take documents that are being read back to the queue and wipe off the mark of a crash.
UPDATE document SET state = 'queued', crash_count = 0
WHERE knowledge_space_id = %(space_id)s AND job_id = %(job)s AND state = 'processing'
