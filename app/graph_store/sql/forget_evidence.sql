-- forget_evidence: edges of chunks about to go rest on another chunk of the same text, else on none.
UPDATE graph_edge SET evidence_chunk_id = (
    SELECT other.id FROM knowledge_chunk own
    JOIN knowledge_chunk other ON other.knowledge_space_id = %(space_id)s AND other.content_hash = own.content_hash
        AND other.id <> ALL(%(chunks)s::uuid[])
    WHERE own.knowledge_space_id = %(space_id)s AND own.id = graph_edge.evidence_chunk_id
    ORDER BY other.id LIMIT 1)
WHERE knowledge_space_id = %(space_id)s AND evidence_chunk_id = ANY(%(chunks)s::uuid[])
RETURNING id, evidence_chunk_id IS NULL
