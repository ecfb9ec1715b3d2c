-- purge_requests: delete at most :limit rows older than :hours; rows that another sweep is deleting are skipped.
DELETE FROM idempotent_request WHERE (principal, idempotency_key) IN (
    SELECT principal, idempotency_key FROM idempotent_request
    WHERE created_at < clock_timestamp() - make_interval(hours => %(hours)s)
    ORDER BY created_at LIMIT %(limit)s FOR UPDATE SKIP LOCKED
)
