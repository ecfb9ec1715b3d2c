-- release_request: release the key of a request that changed nothing, so that it can be sent again at once.
DELETE FROM idempotent_request
WHERE principal = %(principal)s AND idempotency_key = %(key)s AND fence = %(fence)s::uuid AND done_at IS NULL
