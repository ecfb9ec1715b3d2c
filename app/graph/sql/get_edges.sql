-- get_edges: the edges with these ids that have both their nodes, with their evidence.
SELECT
    edge.id, edge.from_node_id, edge.to_node_id, edge.relation_type, edge.weight, edge.confidence, edge.status,
    edge.valid_from, edge.invalidated_at, edge.metadata ->> 'quote', edge.metadata ->> 'charStart',
    edge.metadata ->> 'charEnd',
    chunk.id, chunk.document_id, document.title, chunk.char_start, chunk.char_end
FROM graph_edge AS edge
LEFT JOIN knowledge_chunk AS chunk
    ON chunk.knowledge_space_id = %(space_id)s AND chunk.id = edge.evidence_chunk_id
LEFT JOIN document
    ON document.knowledge_space_id = %(space_id)s AND document.id = chunk.document_id
WHERE edge.knowledge_space_id = %(space_id)s AND edge.id = ANY(%(ids)s::uuid[]) AND edge.deleted_at IS NULL
