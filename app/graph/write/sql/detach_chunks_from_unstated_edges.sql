-- detach_chunks_from_unstated_edges: remove evidence and words of edges that these chunks no longer state; return each with its document.
UPDATE graph_edge SET evidence_chunk_id = NULL,
    metadata = metadata - ARRAY['quote', 'charStart', 'charEnd', 'statedAt', 'saidBy'],
    valid_from = NULL, valid_from_precision = NULL, valid_from_basis = NULL, valid_to = NULL, valid_to_precision = NULL
FROM knowledge_chunk AS own
WHERE graph_edge.knowledge_space_id = %(space_id)s AND own.knowledge_space_id = %(space_id)s
  AND own.id = graph_edge.evidence_chunk_id AND graph_edge.evidence_chunk_id = ANY(%(chunks)s::uuid[])
  AND graph_edge.extraction_key <> ALL(%(keys)s::uuid[])
RETURNING graph_edge.id, own.document_id
