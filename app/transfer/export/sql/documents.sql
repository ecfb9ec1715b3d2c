-- documents: the next documents of the space in the order of their ids.
SELECT
    id, title, source_kind, source_uri, format, language, metadata, content_hash, byte_size, version,
    created_at, updated_at, encoding, trust, warnings, message_id, in_reply_to, uploader
FROM document
WHERE knowledge_space_id = %(space_id)s AND id > %(id)s
ORDER BY id
LIMIT %(limit)s
