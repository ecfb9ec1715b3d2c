-- note_refused: put a message back for later, or end it after its last try; a webhook that failed for days is disabled.
WITH ended AS (
    UPDATE webhook_delivery SET
        state = CASE WHEN %(delay)s::float8 IS NULL THEN 'failed' ELSE 'pending' END,
        next_at = clock_timestamp() + make_interval(secs => coalesce(%(delay)s::float8, 0)),
        leased_until = NULL, last_status = %(status)s::integer, last_error = %(error)s::text,
        ended_at = CASE WHEN %(delay)s::float8 IS NULL THEN clock_timestamp() END
    WHERE id = %(id)s::uuid AND fence = %(fence)s AND state = 'pending'
    RETURNING webhook_id
), before AS (
    SELECT webhook.id, webhook.disabled_at FROM webhook JOIN ended ON ended.webhook_id = webhook.id FOR UPDATE OF webhook
)
UPDATE webhook SET
    failing_since = coalesce(webhook.failing_since, clock_timestamp()),
    disabled_at = CASE
        WHEN webhook.failing_since < clock_timestamp() - make_interval(days => %(days)s)
        THEN coalesce(webhook.disabled_at, clock_timestamp()) ELSE webhook.disabled_at
    END
FROM before WHERE webhook.id = before.id
RETURNING webhook.disabled_at IS NOT NULL AND before.disabled_at IS NULL
