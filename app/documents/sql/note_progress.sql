-- note_progress: reset the crash count of documents that are being read, after a part of them was written.
UPDATE document SET crash_count = 1
WHERE knowledge_space_id = %(space_id)s AND id = ANY(%(ids)s::uuid[]) AND job_id = %(job)s
  AND state = 'processing' AND crash_count > 1
