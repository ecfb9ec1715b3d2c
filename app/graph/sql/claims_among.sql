-- claims_among: the claims that hold now between these nodes, the heaviest first, of each the strongest edge.
-- Of the edges that leave a node the strongest so many are looked through, so that a hub costs no more.
SELECT
    edge.from_node_id, edge.to_node_id, edge.relation_type, sum(edge.weight)::real, max(edge.confidence),
    count(*), (array_agg(edge.id ORDER BY edge.weight DESC, edge.id))[1], bool_or(edge.evidence_chunk_id IS NOT NULL)
FROM unnest(%(ids)s::uuid[]) AS drawn (id)
CROSS JOIN LATERAL (
    SELECT * FROM graph_edge
    WHERE knowledge_space_id = %(space_id)s AND from_node_id = drawn.id
      AND deleted_at IS NULL AND invalidated_at IS NULL
    ORDER BY weight DESC LIMIT %(scan)s
) AS edge
WHERE edge.to_node_id = ANY(%(ids)s::uuid[])
GROUP BY edge.from_node_id, edge.to_node_id, edge.relation_type
ORDER BY 4 DESC, 7
LIMIT %(limit)s
