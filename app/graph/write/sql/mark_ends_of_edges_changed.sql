-- mark_ends_of_edges_changed: record that the facts of the ends of these edges, whose evidence returned, changed.
INSERT INTO touched_nodes (knowledge_space_id, id, nodes)
SELECT edge.knowledge_space_id, %(note)s::uuid, array_agg(DISTINCT ends.id)
FROM graph_edge edge CROSS JOIN LATERAL (VALUES (edge.from_node_id), (edge.to_node_id)) AS ends(id)
WHERE edge.knowledge_space_id = %(space_id)s AND edge.id = ANY(%(edges)s::uuid[])
GROUP BY edge.knowledge_space_id
