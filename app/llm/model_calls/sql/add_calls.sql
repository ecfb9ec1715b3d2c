-- add_calls: rows of the ledger, one for each call to a model.
INSERT INTO model_call (knowledge_space_id, id, job_id, purpose, model, prompt_tokens, completion_tokens, passage_tokens,
    cost_usd, latency_ms, cached, outcome)
SELECT here.knowledge_space_id, t.id, %(job)s, t.purpose, t.model, t.sent, t.received, t.passages, t.cost, t.latency, t.cached, t.outcome
FROM unnest(%(ids)s::uuid[], %(purposes)s::text[], %(models)s::text[], %(sent)s::int[], %(received)s::int[],
    %(passages)s::int[], %(costs)s::numeric[], %(latencies)s::int[], %(cached)s::bool[], %(outcomes)s::text[])
    AS t(id, purpose, model, sent, received, passages, cost, latency, cached, outcome)
JOIN space_anchor AS here ON here.knowledge_space_id = %(space_id)s
