-- count_usage: add amounts to the counters of a space for today (UTC).
INSERT INTO usage_daily AS u (tenant_id, day, knowledge_space_id, documents, chunks, bytes,
    model_calls, prompt_tokens, completion_tokens, cost_usd, queries)
VALUES (%(tenant_id)s, (now() AT TIME ZONE 'UTC')::date, %(space)s, %(documents)s, %(chunks)s, %(bytes)s,
    %(model_calls)s, %(prompt_tokens)s, %(completion_tokens)s, %(cost_usd)s, %(queries)s)
ON CONFLICT (tenant_id, day, knowledge_space_id) DO UPDATE SET
    documents = u.documents + excluded.documents, chunks = u.chunks + excluded.chunks,
    bytes = u.bytes + excluded.bytes, model_calls = u.model_calls + excluded.model_calls,
    prompt_tokens = u.prompt_tokens + excluded.prompt_tokens,
    completion_tokens = u.completion_tokens + excluded.completion_tokens,
    cost_usd = u.cost_usd + excluded.cost_usd, queries = u.queries + excluded.queries
