-- delete_readings: remove what a trial read.
DELETE FROM trial_reading WHERE knowledge_space_id = %(space_id)s AND job_id = %(job)s
