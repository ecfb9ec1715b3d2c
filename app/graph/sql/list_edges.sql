-- list_edges: a page of the space's edges by id that pass the filters, with their evidence.
WITH page AS MATERIALIZED (
    SELECT * FROM graph_edge
    WHERE knowledge_space_id = %(space_id)s AND edge_holds(deleted_at, invalidated_at)
      AND (%(relation_type)s::text IS NULL OR relation_type = %(relation_type)s::text)
      -- include layer_passes
      AND (%(min_confidence)s::real IS NULL OR confidence >= %(min_confidence)s::real)
      AND (%(after)s::uuid IS NULL OR id > %(after)s::uuid)
    ORDER BY id LIMIT %(limit)s
)
SELECT
    edge.id, edge.from_node_id, edge.to_node_id, edge.relation_type, edge.weight, edge.confidence, edge.status,
    edge.valid_from, edge.invalidated_at, edge.ends_at, edge.metadata ->> 'quote', edge.metadata ->> 'charStart',
    edge.metadata ->> 'charEnd',
    chunk.id, chunk.document_id, document.title, chunk.char_start, chunk.char_end, coalesce(chunk.places, to_jsonb(chunk.place))
FROM page AS edge
LEFT JOIN knowledge_chunk AS chunk
    ON chunk.knowledge_space_id = %(space_id)s AND chunk.id = edge.evidence_chunk_id
LEFT JOIN document
    ON document.knowledge_space_id = %(space_id)s AND document.id = chunk.document_id
ORDER BY edge.id
