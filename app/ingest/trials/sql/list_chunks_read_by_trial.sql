-- list_chunks_read_by_trial: the chunks that a trial has read so far.
SELECT chunk_id FROM trial_reading WHERE knowledge_space_id = %(space_id)s AND job_id = %(job)s
