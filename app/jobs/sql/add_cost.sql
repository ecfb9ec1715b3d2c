-- add_cost: add what model calls took to their job's own counters.
UPDATE job SET prompt_tokens = prompt_tokens + %(prompt_tokens)s,
    completion_tokens = completion_tokens + %(completion_tokens)s, cost_usd = cost_usd + %(cost_usd)s
WHERE knowledge_space_id = %(space_id)s AND id = %(job)s
