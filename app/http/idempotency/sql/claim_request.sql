-- claim_request: claim the key for a request, unless a stored or running request has it.
-- The row of a request that was carried out is kept for :hours; one under way whose lease ended belongs to a process
-- that died before its transaction, so nothing of it is there.
INSERT INTO idempotent_request AS kept (principal, idempotency_key, tenant_id, fence, leased_until)
VALUES (%(principal)s, %(key)s, %(tenant)s::uuid, %(fence)s::uuid, clock_timestamp() + make_interval(secs => %(seconds)s))
ON CONFLICT (principal, idempotency_key) DO UPDATE SET
    fence = excluded.fence, leased_until = excluded.leased_until, created_at = clock_timestamp(),
    done_at = NULL, fingerprint = NULL, status = NULL, media_type = NULL, answer = NULL, changed = false
WHERE kept.created_at < clock_timestamp() - make_interval(hours => %(hours)s)
   OR (kept.done_at IS NULL AND kept.leased_until < clock_timestamp())
RETURNING kept.fence
