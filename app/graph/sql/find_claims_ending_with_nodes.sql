-- find_claims_ending_with_nodes: the claims of these relations that leave or enter these nodes and end with them.
SELECT edge.from_node_id, edge.relation_type, edge.to_node_id FROM graph_edge AS edge
WHERE edge.knowledge_space_id = %(space_id)s AND edge.from_node_id = ANY(%(nodes)s::uuid[])
  AND edge.relation_type = ANY(%(leaving)s::text[]) AND edge.deleted_at IS NULL
UNION
SELECT edge.from_node_id, edge.relation_type, edge.to_node_id FROM graph_edge AS edge
WHERE edge.knowledge_space_id = %(space_id)s AND edge.to_node_id = ANY(%(nodes)s::uuid[])
  AND edge.relation_type = ANY(%(entering)s::text[]) AND edge.deleted_at IS NULL
