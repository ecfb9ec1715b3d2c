-- recount_chunks: count the chunks of documents again.
UPDATE document SET updated_at = now(),
    (chunk_count, quarantined_chunks) = (SELECT count(*), count(c.quarantine_code) FROM knowledge_chunk c
        WHERE c.knowledge_space_id = %(space_id)s AND c.document_id = document.id)
WHERE knowledge_space_id = %(space_id)s AND id = ANY(%(ids)s::uuid[])
