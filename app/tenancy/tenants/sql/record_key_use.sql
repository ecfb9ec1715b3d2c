-- record_key_use: record that an API key was used, at most once a minute, so that most requests write nothing.
UPDATE api_key SET last_used_at = now()
WHERE id = %(key)s AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute')
