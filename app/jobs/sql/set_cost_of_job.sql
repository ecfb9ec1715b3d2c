-- set_cost_of_job: what all model calls of a job took, in place of what its counters say.
UPDATE job SET prompt_tokens = %(prompt_tokens)s, completion_tokens = %(completion_tokens)s, cost_usd = %(cost_usd)s
WHERE knowledge_space_id = %(space_id)s AND id = %(job)s
