-- take_due: lease the next messages that are due: one of each tenant at most, those of webhooks that work first, then by lot.
-- No tenant's slow servers, however many, keep another's messages waiting.
-- A row that another worker leased meanwhile is looked at again by the UPDATE, and left to it.
WITH due AS (
    SELECT DISTINCT ON (waiting.tenant_id) waiting.id, webhook.failing_since IS NOT NULL AS fails
    FROM webhook_delivery AS waiting JOIN webhook ON webhook.id = waiting.webhook_id
    WHERE waiting.state = 'pending' AND waiting.next_at <= clock_timestamp() AND webhook.disabled_at IS NULL
      AND NOT EXISTS (
          SELECT FROM webhook_delivery AS sent
          WHERE sent.tenant_id = waiting.tenant_id AND sent.state = 'pending' AND sent.leased_until >= clock_timestamp()
      )
    ORDER BY waiting.tenant_id, webhook.failing_since IS NOT NULL, waiting.next_at, waiting.id
), next AS (
    SELECT id FROM due ORDER BY fails, random() LIMIT %(limit)s
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
