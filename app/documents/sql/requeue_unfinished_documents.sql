-- requeue_unfinished_documents: return documents that are being read to the queue, and reset their count of crashes.
UPDATE document SET state = 'queued', crash_count = 0
WHERE knowledge_space_id = %(space_id)s AND job_id = %(job)s AND state = 'processing'
