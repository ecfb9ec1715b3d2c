-- list_claims_denied_by_edges: the claims that these edges deny or end by their own words.
SELECT DISTINCT edge.from_node_id, edge.relation_type, edge.to_node_id FROM graph_edge AS edge
WHERE edge.knowledge_space_id = %(space_id)s AND edge.id = ANY(%(edges)s::uuid[])
  AND edge.deleted_at IS NULL AND edge.invalidated_at IS NOT NULL
  AND (edge.polarity = 'denied' OR edge.polarity = 'asserted' AND edge.valid_to IS NOT NULL)
