-- find_nested_values: the pairs of these nodes in which the first lies in the second, by a current claim.
SELECT DISTINCT from_node_id, to_node_id FROM graph_edge
WHERE knowledge_space_id = %(space_id)s AND from_node_id = ANY(%(nodes)s::uuid[]) AND to_node_id = ANY(%(nodes)s::uuid[])
  AND relation_type = ANY(%(relations)s::text[]) AND polarity = 'asserted' AND edge_holds(deleted_at, invalidated_at)
