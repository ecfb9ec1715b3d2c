-- delete_ended_job: remove a job that has ended, with what goes with it.
DELETE FROM job
WHERE knowledge_space_id = %(space_id)s AND id = %(job)s AND finalized_at IS NOT NULL
