-- delete_readings: delete the extractions of a trial.
DELETE FROM trial_reading WHERE knowledge_space_id = %(space_id)s AND job_id = %(job)s
