-- take_due: lease the next messages that are due, one of each webhook, so that a slow server keeps no other waiting.
-- A row that another worker leased meanwhile is looked at again by the UPDATE, and left to it.
WITH next AS (
    SELECT DISTINCT ON (webhook_id) id FROM webhook_delivery
    WHERE state = 'pending' AND next_at <= clock_timestamp()
      AND (leased_until IS NULL OR leased_until < clock_timestamp())
      AND NOT EXISTS (
          SELECT FROM webhook_delivery AS sent
          WHERE sent.webhook_id = webhook_delivery.webhook_id AND sent.state = 'pending'
            AND sent.leased_until >= clock_timestamp()
      )
    ORDER BY webhook_id, next_at, id
    LIMIT %(limit)s
)
UPDATE webhook_delivery AS taken SET
    leased_until = clock_timestamp() + make_interval(secs => %(seconds)s), fence = taken.fence + 1,
    attempts = taken.attempts + 1
FROM webhook
WHERE taken.id IN (SELECT id FROM next) AND taken.state = 'pending'
  AND (taken.leased_until IS NULL OR taken.leased_until < clock_timestamp())
  AND webhook.id = taken.webhook_id AND webhook.disabled_at IS NULL
RETURNING taken.id, taken.tenant_id, taken.webhook_id, taken.fence, taken.attempts, webhook.url, webhook.secret,
    CASE WHEN webhook.old_secret_until > clock_timestamp() THEN webhook.old_secret END,
    taken.event, taken.data, taken.created_at
