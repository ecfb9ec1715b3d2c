-- list_chunks_of_document: the chunks of a document in order, with text and position.
SELECT id, ordinal, text, char_start, char_end, heading_path, token_count, speaker, said_at, content_hash,
  quarantine_code IS NOT NULL
FROM knowledge_chunk
WHERE knowledge_space_id = %(space_id)s AND document_id = %(document)s
ORDER BY ordinal, id
