-- detach_chunks_from_edges: move edges of chunks to be deleted to another chunk with the same text, else remove their evidence and words.
-- Returns each edge with the document that stated it, and whether it has no evidence.
WITH held AS MATERIALIZED (
    SELECT edge.id, own.document_id, (
        SELECT other.id FROM knowledge_chunk other
        WHERE other.knowledge_space_id = %(space_id)s AND other.content_hash = own.content_hash
          AND other.id <> ALL(%(chunks)s::uuid[])
        ORDER BY other.id LIMIT 1
    ) AS other
    FROM graph_edge edge
    JOIN knowledge_chunk own ON own.knowledge_space_id = %(space_id)s AND own.id = edge.evidence_chunk_id
    WHERE edge.knowledge_space_id = %(space_id)s AND edge.evidence_chunk_id = ANY(%(chunks)s::uuid[])
)
UPDATE graph_edge SET evidence_chunk_id = held.other,
    metadata = CASE WHEN held.other IS NOT NULL THEN metadata
        ELSE metadata - ARRAY['quote', 'charStart', 'charEnd', 'statedAt'] END,
    valid_from = CASE WHEN held.other IS NOT NULL THEN valid_from END,
    valid_from_precision = CASE WHEN held.other IS NOT NULL THEN valid_from_precision END,
    valid_from_basis = CASE WHEN held.other IS NOT NULL THEN valid_from_basis END,
    valid_to = CASE WHEN held.other IS NOT NULL THEN valid_to END,
    valid_to_precision = CASE WHEN held.other IS NOT NULL THEN valid_to_precision END
FROM held
WHERE graph_edge.knowledge_space_id = %(space_id)s AND graph_edge.id = held.id
RETURNING graph_edge.id, held.document_id, held.other IS NULL
