-- find_request: the request that has the key, and its sealed answer.
SELECT fence, fingerprint, status, media_type, answer, changed FROM idempotent_request
WHERE principal = %(principal)s AND idempotency_key = %(key)s
