-- get_edges: the edges with these ids and both end nodes, with their evidence.
-- The LIMIT in each LATERAL makes it an index probe, whatever the planner estimates for the space's size.
SELECT
    edge.id, edge.from_node_id, edge.to_node_id, edge.relation_type, edge.weight, edge.confidence, edge.status,
    edge.valid_from, edge.invalidated_at, edge.ends_at, edge.metadata ->> 'quote', edge.metadata ->> 'charStart',
    edge.metadata ->> 'charEnd',
    chunk.id, chunk.document_id, document.title, chunk.char_start, chunk.char_end, coalesce(chunk.places, to_jsonb(chunk.place))
FROM (SELECT DISTINCT unnest(%(ids)s::uuid[]) AS id) AS asked
CROSS JOIN LATERAL (
    SELECT id, from_node_id, to_node_id, relation_type, weight, confidence, status, valid_from, invalidated_at, ends_at, metadata, evidence_chunk_id
    FROM graph_edge
    WHERE knowledge_space_id = %(space_id)s AND id = asked.id AND deleted_at IS NULL LIMIT 1
) AS edge
LEFT JOIN LATERAL (
    SELECT id, document_id, char_start, char_end, place, places FROM knowledge_chunk
    WHERE knowledge_space_id = %(space_id)s AND id = edge.evidence_chunk_id LIMIT 1
) AS chunk ON true
LEFT JOIN LATERAL (
    SELECT title FROM document WHERE knowledge_space_id = %(space_id)s AND id = chunk.document_id LIMIT 1
) AS document ON true
