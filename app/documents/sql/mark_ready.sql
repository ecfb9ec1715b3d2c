-- mark_ready: finish documents, with the number of their chunks.
UPDATE document SET state = 'ready', failure_code = NULL, failure_reason = NULL, crash_count = 0, updated_at = now(),
    (chunk_count, quarantined_chunks) = (SELECT count(*), count(c.quarantine_code) FROM knowledge_chunk c
        WHERE c.knowledge_space_id = %(space_id)s AND c.document_id = document.id)
WHERE knowledge_space_id = %(space_id)s AND id = ANY(%(ids)s::uuid[])
