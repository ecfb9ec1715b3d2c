-- list_stored_chunks: the present chunks of documents, in order.
SELECT id, document_id, content_hash, extracted_by, ordinal, char_start, char_end, heading_path,
  quarantine_code IS NOT NULL, coalesce(places, to_jsonb(place)),
  message_id, in_reply_to
FROM knowledge_chunk
WHERE knowledge_space_id = %(space_id)s AND document_id = ANY(%(ids)s::uuid[])
ORDER BY document_id, ordinal, id
