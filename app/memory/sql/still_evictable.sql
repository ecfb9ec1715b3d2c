-- still_evictable: those of these chunks that may go now, by the same condition as plan_eviction's.
SELECT c.id FROM knowledge_chunk c
JOIN document d ON d.knowledge_space_id = %(space_id)s AND d.id = c.document_id
WHERE c.knowledge_space_id = %(space_id)s AND c.id = ANY(%(chunks)s::uuid[]) AND d.state IN ('ready', 'failed')
  AND (%(including_last_evidence)s OR EXISTS (
        SELECT 1 FROM knowledge_chunk n WHERE n.knowledge_space_id = %(space_id)s
          AND n.content_hash = c.content_hash AND n.id > c.id
    ) OR NOT EXISTS (
        SELECT 1 FROM knowledge_chunk o
        JOIN graph_edge e ON e.knowledge_space_id = %(space_id)s AND e.evidence_chunk_id = o.id
        WHERE o.knowledge_space_id = %(space_id)s AND o.content_hash = c.content_hash
    ))
ORDER BY c.id
