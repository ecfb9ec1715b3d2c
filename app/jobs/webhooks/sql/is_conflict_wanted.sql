-- is_conflict_wanted: whether a webhook of the tenant asks for conflicts.
SELECT EXISTS (
    SELECT 1 FROM webhook
    WHERE webhook.tenant_id = %(tenant_id)s::uuid AND webhook.disabled_at IS NULL AND 'conflict.found' = ANY(webhook.events)
)
