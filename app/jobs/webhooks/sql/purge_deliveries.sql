-- purge_deliveries: delete a batch of messages that ended so many days ago, or that wait for a disabled webhook.
DELETE FROM webhook_delivery WHERE id IN (
    SELECT id FROM webhook_delivery WHERE created_at < clock_timestamp() - make_interval(days => %(days)s)
    ORDER BY created_at LIMIT %(limit)s FOR UPDATE SKIP LOCKED
)
