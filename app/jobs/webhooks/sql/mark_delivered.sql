-- mark_delivered: end a delivered message, and mark its server as working; the tenant's next turn comes after all others.
WITH ended AS (
    UPDATE webhook_delivery SET state = 'delivered', leased_until = NULL, last_status = %(status)s::integer,
        last_error = NULL, ended_at = clock_timestamp()
    WHERE id = %(id)s::uuid AND fence = %(fence)s AND state = 'pending'
    RETURNING webhook_id, tenant_id
), turn AS (
    UPDATE webhook_queue AS queue SET leased_until = NULL, due_at = clock_timestamp()
    FROM ended WHERE queue.tenant_id = ended.tenant_id
    RETURNING queue.tenant_id
)
UPDATE webhook SET failing_since = NULL, failures = 0, retry_at = NULL FROM ended LEFT JOIN turn ON turn.tenant_id = ended.tenant_id
WHERE webhook.id = ended.webhook_id AND webhook.failing_since IS NOT NULL
