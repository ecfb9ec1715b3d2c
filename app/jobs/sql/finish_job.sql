-- finish_job: end a lease: set a final state, or requeue the job after a delay; webhooks that ask for it get a message.
-- That a budget is used up is told once a month, when the first job waits for it.
WITH ended AS (
    UPDATE job SET state = %(state)s, stage = %(stage)s, lease_until = NULL, worker = NULL,
        progress = CASE WHEN %(state)s = 'done' THEN 100 ELSE progress END,
        attempt = attempt - %(uncount)s, failures = failures + %(failed)s, crash_count = 0,
        counts = counts || %(counts)s::jsonb,
        error_code = %(error_code)s, error_message = %(error_message)s,
        run_after = now() + make_interval(secs => %(delay)s),
        finalized_at = CASE WHEN %(state)s IN ('done', 'failed', 'cancelled') THEN now() END
    WHERE knowledge_space_id = %(space_id)s AND id = %(job)s AND fence = %(fence)s AND state = 'running'
    RETURNING id, tenant_id, knowledge_space_id, kind, fence, counts, failures, max_attempts
), told AS (
    INSERT INTO webhook_delivery (id, tenant_id, webhook_id, knowledge_space_id, event, event_key, data)
    SELECT gen_random_uuid(), webhook.tenant_id, webhook.id, ended.knowledge_space_id, happened.event,
        CASE WHEN happened.event = 'budget.reached' THEN 'budget.reached ' || to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM')
             ELSE happened.event || ' ' || ended.id || ' ' || ended.fence END,
        jsonb_build_object('space_id', ended.knowledge_space_id, 'job_id', ended.id, 'kind', ended.kind,
            'state', %(state)s::text, 'error_code', %(error_code)s::text, 'counts', ended.counts)
    FROM ended CROSS JOIN LATERAL (SELECT CASE
        WHEN %(state)s IN ('done', 'failed') THEN 'job.' || %(state)s
        WHEN %(error_code)s::text = 'budget_exhausted' THEN 'budget.reached'
    END AS event) AS happened
    JOIN webhook ON webhook.tenant_id = ended.tenant_id AND webhook.disabled_at IS NULL AND happened.event = ANY(webhook.events)
    ON CONFLICT (webhook_id, event_key) DO NOTHING
)
SELECT failures, max_attempts FROM ended
