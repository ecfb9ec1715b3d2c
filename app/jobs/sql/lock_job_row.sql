-- lock_job_row: lock the job's row until the transaction ends.
SELECT id FROM job WHERE knowledge_space_id = %(space_id)s AND id = %(job)s FOR NO KEY UPDATE
