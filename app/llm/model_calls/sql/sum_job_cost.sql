-- sum_job_cost: the calls paid, tokens sent and received, and cost of one job so far.
SELECT count(*) FILTER (WHERE NOT cached), coalesce(sum(prompt_tokens), 0), coalesce(sum(completion_tokens), 0),
    coalesce(sum(cost_usd), 0)
FROM model_call WHERE knowledge_space_id = %(space_id)s AND job_id = %(job)s
