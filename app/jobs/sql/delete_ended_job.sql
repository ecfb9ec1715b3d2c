-- delete_ended_job: delete a job that has ended, with its rows.
DELETE FROM job
WHERE knowledge_space_id = %(space_id)s AND id = %(job)s AND finalized_at IS NOT NULL
RETURNING id
