-- find_denied_or_ended_claims_of_nodes: the claims that leave or enter these nodes and have a row that denies them, has ended or will.
SELECT edge.from_node_id, edge.relation_type, edge.to_node_id FROM graph_edge AS edge
WHERE edge.knowledge_space_id = %(space_id)s AND edge.from_node_id = ANY(%(nodes)s::uuid[])
  AND edge.deleted_at IS NULL AND edge.invalidated_at IS NOT NULL
UNION
SELECT edge.from_node_id, edge.relation_type, edge.to_node_id FROM graph_edge AS edge
WHERE edge.knowledge_space_id = %(space_id)s AND edge.to_node_id = ANY(%(nodes)s::uuid[])
  AND edge.deleted_at IS NULL AND edge.invalidated_at IS NOT NULL
UNION
SELECT edge.from_node_id, edge.relation_type, edge.to_node_id FROM graph_edge AS edge
WHERE edge.knowledge_space_id = %(space_id)s AND edge.from_node_id = ANY(%(nodes)s::uuid[])
  AND edge.deleted_at IS NULL AND edge.ends_at IS NOT NULL
UNION
SELECT edge.from_node_id, edge.relation_type, edge.to_node_id FROM graph_edge AS edge
WHERE edge.knowledge_space_id = %(space_id)s AND edge.to_node_id = ANY(%(nodes)s::uuid[])
  AND edge.deleted_at IS NULL AND edge.ends_at IS NOT NULL
