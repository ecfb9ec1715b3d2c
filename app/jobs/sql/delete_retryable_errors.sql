-- delete_retryable_errors: delete the errors of a job that it will try again; those about documents that were read stay.
DELETE FROM job_error
WHERE knowledge_space_id = %(space_id)s AND job_id = %(job)s AND code NOT IN ('bad_vector', 'left_out')
