-- list_edges_stated_in_chunks: the current edges with evidence in these chunks, with the range of the quote in the chunk.
SELECT
    edge.id, edge.evidence_chunk_id, edge.metadata ->> 'charStart', edge.metadata ->> 'charEnd', edge.relation_type,
    edge.confidence, source.canonical_name, target.canonical_name
FROM graph_edge AS edge
JOIN graph_node AS source
    ON source.knowledge_space_id = %(space_id)s AND source.id = edge.from_node_id
JOIN graph_node AS target
    ON target.knowledge_space_id = %(space_id)s AND target.id = edge.to_node_id
WHERE edge.knowledge_space_id = %(space_id)s AND edge.evidence_chunk_id = ANY(%(ids)s::uuid[])
  AND edge_holds(edge.deleted_at, edge.invalidated_at)
ORDER BY edge.evidence_chunk_id, edge.id
LIMIT %(limit)s
