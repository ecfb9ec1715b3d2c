-- lock_documents_still_owned_by_job: lock those documents that exist and still belong to the job.
SELECT id FROM document
WHERE knowledge_space_id = %(space_id)s AND id = ANY(%(ids)s::uuid[]) AND job_id = %(job)s
ORDER BY id FOR NO KEY UPDATE
