-- store_answer: store the answer of a request that was carried out; no row if another process has the key by now.
UPDATE idempotent_request SET
    done_at = clock_timestamp(), fingerprint = %(fingerprint)s::bytea, status = %(status)s::integer,
    media_type = %(media_type)s::text, answer = %(answer)s::bytea, changed = %(changed)s
WHERE principal = %(principal)s AND idempotency_key = %(key)s AND fence = %(fence)s::uuid AND done_at IS NULL
RETURNING fence
