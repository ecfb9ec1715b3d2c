-- add_conflict_message: add one message to the outbox about the conflicts of an ingest. Ids only.
INSERT INTO webhook_delivery (id, tenant_id, webhook_id, knowledge_space_id, event, event_key, data)
SELECT gen_random_uuid(), webhook.tenant_id, webhook.id, %(space_id)s, 'conflict.found', 'conflict.found ' || %(job)s,
    jsonb_build_object('space_id', %(space_id)s::uuid, 'job_id', %(job)s::uuid, 'conflicts', %(conflicts)s::jsonb)
FROM webhook
WHERE webhook.tenant_id = %(tenant_id)s::uuid AND webhook.disabled_at IS NULL AND 'conflict.found' = ANY(webhook.events)
ON CONFLICT (webhook_id, event_key) DO NOTHING
