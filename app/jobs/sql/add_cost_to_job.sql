-- add_cost_to_job: add the use of model calls to their job's counters, unless a step of the job has locked its row.
UPDATE job SET prompt_tokens = prompt_tokens + %(prompt_tokens)s,
    completion_tokens = completion_tokens + %(completion_tokens)s, cost_usd = cost_usd + %(cost_usd)s
WHERE knowledge_space_id = %(space_id)s AND id = (
    SELECT id FROM job WHERE knowledge_space_id = %(space_id)s AND id = %(job)s FOR NO KEY UPDATE SKIP LOCKED
)
RETURNING id
