-- edges: the next edges of the space in the order of their ids, each with the document of its passage.
SELECT
    edge.id, edge.from_node_id, edge.to_node_id, edge.relation_type, edge.weight, edge.status, edge.polarity,
    edge.evidence_chunk_id, document.id, document.title, document.source_uri, edge.metadata,
    replace(edge.extraction_key::text, '-', ''), edge.valid_from, edge.valid_from_precision, edge.valid_from_basis, edge.valid_to,
    edge.valid_to_precision, edge.invalidated_at, edge.created_at,
    CASE WHEN edge.relation_type = ANY(%(claim_types)s::text[]) THEN 'claim' ELSE 'statement' END,
    chunk.char_start + (edge.metadata ->> 'charStart')::int, chunk.char_start + (edge.metadata ->> 'charEnd')::int,
    coalesce(chunk.places, to_jsonb(chunk.place))
FROM (
    SELECT * FROM graph_edge
    WHERE knowledge_space_id = %(space_id)s AND id > %(id)s AND deleted_at IS NULL
    ORDER BY id
    LIMIT %(limit)s
) AS edge
LEFT JOIN knowledge_chunk AS chunk
    ON chunk.knowledge_space_id = %(space_id)s AND chunk.id = edge.evidence_chunk_id
LEFT JOIN document
    ON document.knowledge_space_id = %(space_id)s AND document.id = chunk.document_id
ORDER BY edge.id
