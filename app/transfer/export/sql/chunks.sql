-- chunks: the next chunks of the space in the order of their ids.
SELECT
    id, document_id, ordinal, text, char_start, char_end, heading_path, token_count, content_hash, speaker,
    said_at, extracted_by, place, places, name_ties, message_id, in_reply_to
FROM knowledge_chunk
WHERE knowledge_space_id = %(space_id)s AND id > %(id)s
ORDER BY id
LIMIT %(limit)s
