-- list_calls_by_purpose: the model calls of the last days combined by model and purpose, the most expensive first.
SELECT newest.model, newest.purpose, count(*) FILTER (WHERE NOT newest.cached), count(*) FILTER (WHERE newest.cached),
    count(*) FILTER (WHERE newest.outcome <> 'ok'), sum(newest.prompt_tokens)::bigint,
    sum(newest.completion_tokens)::bigint, sum(newest.cost_usd),
    coalesce(avg(newest.latency_ms) FILTER (WHERE NOT newest.cached), 0)::float8 / 1000, min(newest.created_at)
FROM (
    SELECT call.model, call.purpose, call.cached, call.outcome, call.prompt_tokens, call.completion_tokens, call.cost_usd,
        call.latency_ms, call.created_at
    FROM model_call AS call
    WHERE call.knowledge_space_id = %(space_id)s AND call.created_at > now() - make_interval(days => %(days)s::int)
    ORDER BY call.created_at DESC LIMIT %(most)s
) AS newest
GROUP BY newest.model, newest.purpose ORDER BY sum(newest.cost_usd) DESC, count(*) DESC, newest.model, newest.purpose
