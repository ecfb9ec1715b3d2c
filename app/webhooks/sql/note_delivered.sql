-- note_delivered: end a message that was taken by its server, whose week of failures begins anew.
WITH ended AS (
    UPDATE webhook_delivery SET state = 'delivered', leased_until = NULL, last_status = %(status)s::integer,
        last_error = NULL, ended_at = clock_timestamp()
    WHERE id = %(id)s::uuid AND fence = %(fence)s AND state = 'pending'
    RETURNING webhook_id
)
UPDATE webhook SET failing_since = NULL FROM ended
WHERE webhook.id = ended.webhook_id AND webhook.failing_since IS NOT NULL
