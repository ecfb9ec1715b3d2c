-- delete_retryable_errors: take off a job's list what it is to try again; what says something of documents that were read stays.
DELETE FROM job_error
WHERE knowledge_space_id = %(space_id)s AND job_id = %(job)s AND code NOT IN ('bad_vector', 'left_out')
