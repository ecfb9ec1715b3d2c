-- preserve_month_usage_of_deleted_space: keep the use of a deleted space in this month (UTC), for monthly limits.
INSERT INTO usage_of_deleted AS kept (tenant_id, month, prompt_tokens, completion_tokens, cost_usd)
SELECT %(tenant_id)s, date_trunc('month', now() AT TIME ZONE 'UTC')::date,
    sum(used.prompt_tokens), sum(used.completion_tokens), sum(used.cost_usd)
FROM usage_daily AS used
WHERE used.tenant_id = %(tenant_id)s AND used.knowledge_space_id = %(space)s
  AND used.day >= date_trunc('month', now() AT TIME ZONE 'UTC')::date
HAVING sum(used.prompt_tokens + used.completion_tokens) > 0 OR sum(used.cost_usd) > 0
ON CONFLICT (tenant_id, month) DO UPDATE SET prompt_tokens = kept.prompt_tokens + excluded.prompt_tokens,
    completion_tokens = kept.completion_tokens + excluded.completion_tokens, cost_usd = kept.cost_usd + excluded.cost_usd
