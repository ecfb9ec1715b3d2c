-- count_all_pending: messages of all tenants that were not delivered yet, at most 10,000, when the oldest was made, and how many failed a try.
SELECT count(*)::int, min(created_at), count(*) FILTER (WHERE attempts > 0)::int
FROM (SELECT created_at, attempts FROM webhook_delivery WHERE state = 'pending' LIMIT 10000) AS pending
