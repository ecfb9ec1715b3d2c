-- list_edges_with_other_ends: the stored edges of these keys that have other ends than those given, with those given.
SELECT edge.id, given.from_node, given.to_node
FROM unnest(%(keys)s::uuid[], %(from_nodes)s::uuid[], %(to_nodes)s::uuid[]) AS given(key, from_node, to_node)
JOIN graph_edge AS edge ON edge.knowledge_space_id = %(space_id)s AND edge.extraction_key = given.key
WHERE (edge.from_node_id, edge.to_node_id) <> (given.from_node, given.to_node)
ORDER BY edge.id
