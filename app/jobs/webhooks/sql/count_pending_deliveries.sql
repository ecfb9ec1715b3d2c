-- count_pending_deliveries: the number of undelivered messages of all tenants, up to 10,000, the age of the oldest, and the number of failed attempts.
SELECT count(*)::int, min(created_at), count(*) FILTER (WHERE attempts > 0)::int
FROM (SELECT created_at, attempts FROM webhook_delivery WHERE state = 'pending' LIMIT 10000) AS pending
