-- set_cost_of_job: set a job's counters to the use of all its model calls.
UPDATE job SET prompt_tokens = %(prompt_tokens)s, completion_tokens = %(completion_tokens)s, cost_usd = %(cost_usd)s
WHERE knowledge_space_id = %(space_id)s AND id = %(job)s
