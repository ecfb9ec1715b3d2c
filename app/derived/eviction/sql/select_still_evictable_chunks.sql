-- select_still_evictable_chunks: those of these chunks that may be evicted now, by the same condition as in list_evictable_chunks.
-- One probe for each id: joined, all chunks or all documents of the space would be gone through.
SELECT c.id FROM (
    SELECT k.id, k.document_id, k.content_hash,
        lead(k.id) OVER (PARTITION BY k.content_hash ORDER BY k.id) IS NOT NULL AS followed
    FROM (SELECT DISTINCT unnest(%(chunks)s::uuid[])) AS wanted(id)
    CROSS JOIN LATERAL (
        SELECT id, document_id, content_hash FROM knowledge_chunk
        WHERE knowledge_space_id = %(space_id)s AND id = wanted.id LIMIT 1
    ) AS k
) AS c
WHERE (SELECT d.state FROM document d WHERE d.knowledge_space_id = %(space_id)s AND d.id = c.document_id)
      IN ('ready', 'failed')
  -- Of chunks with one text the last of these is looked at alone, as in list_evictable_chunks.
  AND (%(including_last_evidence)s OR c.followed OR EXISTS (
        SELECT 1 FROM knowledge_chunk n WHERE n.knowledge_space_id = %(space_id)s
          AND n.content_hash = c.content_hash AND n.id > c.id
    ) OR NOT EXISTS (
        -- A range of one, as in list_evictable_chunks.
        SELECT 1 FROM knowledge_chunk o
        JOIN graph_edge e ON e.knowledge_space_id = %(space_id)s AND e.evidence_chunk_id BETWEEN o.id AND o.id
        WHERE o.knowledge_space_id = %(space_id)s AND o.content_hash = c.content_hash
    ))
ORDER BY c.id
