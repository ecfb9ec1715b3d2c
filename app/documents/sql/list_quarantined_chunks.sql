-- list_quarantined_chunks: the chunks of a document from which no graph could be extracted, in order, with the reasons.
SELECT id, ordinal, quarantine_code, quarantine_reason, quarantined_since FROM knowledge_chunk
WHERE knowledge_space_id = %(space_id)s AND document_id = %(document)s AND quarantine_code IS NOT NULL
ORDER BY ordinal LIMIT %(limit)s
