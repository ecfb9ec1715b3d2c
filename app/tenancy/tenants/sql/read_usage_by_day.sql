-- read_usage_by_day: the use of the tenant, or of one of its spaces, on each of the last days, the oldest first.
SELECT u.day, sum(u.documents)::bigint, sum(u.chunks)::bigint, sum(u.bytes)::bigint, sum(u.model_calls)::bigint,
    sum(u.prompt_tokens)::bigint, sum(u.completion_tokens)::bigint, sum(u.cost_usd), sum(u.queries)::bigint
FROM usage_daily AS u
WHERE u.tenant_id = %(tenant_id)s AND u.day > (now() AT TIME ZONE 'UTC')::date - %(days)s::int
  AND (%(space)s::uuid IS NULL OR u.knowledge_space_id = %(space)s::uuid)
GROUP BY u.day ORDER BY u.day
