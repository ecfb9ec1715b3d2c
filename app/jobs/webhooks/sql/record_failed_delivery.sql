-- record_failed_delivery: postpone a message, or end it after its last attempt; suspend its webhook, and disable it if there is a reason.
-- The queue's row is locked before the webhook's: `turn` is read before it. The reason is `gone` where the server says so (HTTP 410), `failing` after days without a success.
WITH ended AS (
    UPDATE webhook_delivery SET
        state = CASE WHEN %(delay)s::float8 IS NULL THEN 'failed' ELSE 'pending' END,
        next_at = clock_timestamp() + make_interval(secs => coalesce(%(delay)s::float8, 0)),
        leased_until = NULL, last_status = %(status)s::integer, last_error = %(error)s::text,
        ended_at = CASE WHEN %(delay)s::float8 IS NULL THEN clock_timestamp() END
    WHERE id = %(id)s::uuid AND fence = %(fence)s AND state = 'pending'
    RETURNING webhook_id, tenant_id
), turn AS (
    UPDATE webhook_queue AS queue SET leased_until = NULL, due_at = clock_timestamp()
    FROM ended WHERE queue.tenant_id = ended.tenant_id
    RETURNING queue.tenant_id
), before AS (
    SELECT webhook.id, webhook.disabled_at, CASE
        WHEN %(status)s::integer = 410 THEN 'gone'
        WHEN webhook.failing_since < clock_timestamp() - make_interval(days => %(days)s) THEN 'failing'
    END AS reason
    FROM ended LEFT JOIN turn ON turn.tenant_id = ended.tenant_id JOIN webhook ON webhook.id = ended.webhook_id
    FOR UPDATE OF webhook
)
UPDATE webhook SET
    failing_since = coalesce(webhook.failing_since, clock_timestamp()),
    failures = webhook.failures + 1,
    retry_at = clock_timestamp() + make_interval(secs => %(rest)s),
    disabled_at = CASE WHEN before.reason IS NULL THEN webhook.disabled_at ELSE coalesce(webhook.disabled_at, clock_timestamp()) END,
    disabled_reason = CASE WHEN before.disabled_at IS NULL THEN before.reason ELSE webhook.disabled_reason END
FROM before WHERE webhook.id = before.id
RETURNING CASE WHEN before.disabled_at IS NULL THEN before.reason END
