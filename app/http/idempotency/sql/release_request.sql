-- release_request: give the key of a request back that changed nothing, so that it may be sent again at once.
DELETE FROM idempotent_request
WHERE principal = %(principal)s AND idempotency_key = %(key)s AND fence = %(fence)s::uuid AND done_at IS NULL
