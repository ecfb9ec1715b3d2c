-- drop_readings_of: delete the record that this job read these chunks.
DELETE FROM trial_reading
WHERE knowledge_space_id = %(space_id)s AND job_id = %(job)s AND chunk_id = ANY(%(chunks)s::uuid[])
