-- find_date_given_to_undated_claims: the date by which a document dated claims of its own; null if it dated none.
SELECT min(edge.valid_from)
FROM knowledge_chunk AS chunk
JOIN graph_edge AS edge ON edge.knowledge_space_id = %(space_id)s AND edge.evidence_chunk_id = chunk.id
WHERE chunk.knowledge_space_id = %(space_id)s AND chunk.document_id = %(document)s AND chunk.said_at IS NULL
    AND edge.valid_from_basis = 'document'
