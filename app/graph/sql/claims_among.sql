-- claims_among: each claim that holds now between two of these nodes, with its weight, best confidence, number of
-- sources and strongest edge; at most so many, the heaviest first.
SELECT
    edge.from_node_id, edge.to_node_id, edge.relation_type, sum(edge.weight)::real, max(edge.confidence),
    count(*), (array_agg(edge.id ORDER BY edge.weight DESC, edge.id))[1], bool_or(edge.evidence_chunk_id IS NOT NULL)
FROM graph_edge AS edge
WHERE edge.knowledge_space_id = %(space_id)s
  AND edge.from_node_id = ANY(%(ids)s::uuid[]) AND edge.to_node_id = ANY(%(ids)s::uuid[])
  AND edge.deleted_at IS NULL AND edge.invalidated_at IS NULL
GROUP BY edge.from_node_id, edge.to_node_id, edge.relation_type
ORDER BY 4 DESC, 7
LIMIT %(limit)s
