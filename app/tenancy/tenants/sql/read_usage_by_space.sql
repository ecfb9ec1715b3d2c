-- read_usage_by_space: the use of each space of the tenant in the last days, the most expensive first.
SELECT s.id, s.name, used.documents, used.chunks, used.bytes, used.model_calls, used.prompt_tokens,
    used.completion_tokens, used.cost_usd, used.queries
FROM (
    SELECT u.knowledge_space_id, sum(u.documents)::bigint AS documents, sum(u.chunks)::bigint AS chunks,
        sum(u.bytes)::bigint AS bytes, sum(u.model_calls)::bigint AS model_calls,
        sum(u.prompt_tokens)::bigint AS prompt_tokens, sum(u.completion_tokens)::bigint AS completion_tokens,
        sum(u.cost_usd) AS cost_usd, sum(u.queries)::bigint AS queries
    FROM usage_daily AS u
    WHERE u.tenant_id = %(tenant_id)s AND u.day > (now() AT TIME ZONE 'UTC')::date - %(days)s::int
    GROUP BY u.knowledge_space_id
) AS used
JOIN knowledge_space AS s ON s.tenant_id = %(tenant_id)s AND s.id = used.knowledge_space_id
ORDER BY used.cost_usd DESC, used.queries DESC, s.id LIMIT %(limit)s
