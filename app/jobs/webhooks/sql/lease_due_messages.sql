-- lease_due_messages: lease the next due messages, one of each tenant, in turns.
-- The work is bounded by the number of turns, whatever waits: a turn reads the first message of each of the tenant's
-- webhooks by its index. Of the turns looked at, those to webhooks that work go first, so that servers which fail or are
-- slow keep nobody else's messages waiting. A turn without a message moves to the time when there is one.
-- statement_timestamp is the time by which an index can be read; clock_timestamp is not.
WITH turn AS MATERIALIZED (
    SELECT queue.tenant_id, queue.due_at FROM webhook_queue AS queue
    WHERE queue.due_at <= statement_timestamp()
    ORDER BY queue.due_at LIMIT %(turns)s FOR UPDATE SKIP LOCKED
), candidate AS MATERIALIZED (
    SELECT turn.tenant_id, message.id, row_number() OVER (ORDER BY message.id IS NULL, message.fails, turn.due_at) AS rank
    FROM turn LEFT JOIN LATERAL (
        SELECT first.id, webhook.failing_since IS NOT NULL AS fails
        FROM webhook CROSS JOIN LATERAL (
            SELECT waiting.id, waiting.next_at FROM webhook_delivery AS waiting
            WHERE waiting.webhook_id = webhook.id AND waiting.state = 'pending' AND waiting.next_at <= statement_timestamp()
              AND (waiting.leased_until IS NULL OR waiting.leased_until < statement_timestamp())
            ORDER BY waiting.next_at LIMIT 1
        ) AS first
        WHERE webhook.tenant_id = turn.tenant_id AND webhook.disabled_at IS NULL
          AND (webhook.retry_at IS NULL OR webhook.retry_at <= statement_timestamp())
        ORDER BY webhook.failing_since IS NOT NULL, first.next_at LIMIT 1
    ) AS message ON true
), lease AS (
    UPDATE webhook_queue AS queue SET leased_until = ends.at, due_at = ends.at
    FROM candidate, (SELECT statement_timestamp() + make_interval(secs => %(seconds)s) AS at) AS ends
    WHERE queue.tenant_id = candidate.tenant_id AND candidate.id IS NOT NULL AND candidate.rank <= %(limit)s
), later AS (
    UPDATE webhook_queue AS queue SET leased_until = NULL, due_at = (
        SELECT min(greatest(first.next_at, first.leased_until, webhook.retry_at))
        FROM webhook CROSS JOIN LATERAL (
            SELECT waiting.next_at, waiting.leased_until FROM webhook_delivery AS waiting
            WHERE waiting.webhook_id = webhook.id AND waiting.state = 'pending' ORDER BY waiting.next_at LIMIT 1
        ) AS first
        WHERE webhook.tenant_id = queue.tenant_id AND webhook.disabled_at IS NULL
    )
    FROM candidate WHERE queue.tenant_id = candidate.tenant_id AND candidate.id IS NULL
)
UPDATE webhook_delivery AS taken SET
    leased_until = statement_timestamp() + make_interval(secs => %(seconds)s), fence = taken.fence + 1,
    attempts = taken.attempts + 1
FROM candidate, webhook
WHERE taken.id = candidate.id AND candidate.rank <= %(limit)s AND webhook.id = taken.webhook_id
RETURNING taken.id, taken.tenant_id, taken.webhook_id, taken.fence, taken.attempts, webhook.failures, webhook.url, webhook.secret,
    CASE WHEN webhook.old_secret_until > statement_timestamp() THEN webhook.old_secret END,
    taken.event, taken.data, taken.created_at
