-- list_end_nodes_of_edges: the nodes at the ends of these edges.
SELECT DISTINCT ends.id
FROM graph_edge edge CROSS JOIN LATERAL (VALUES (edge.from_node_id), (edge.to_node_id)) AS ends(id)
WHERE edge.knowledge_space_id = %(space_id)s AND edge.id = ANY(%(edges)s::uuid[])
ORDER BY ends.id
