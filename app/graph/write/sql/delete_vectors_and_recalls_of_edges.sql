-- delete_vectors_and_recalls_of_edges: delete vectors and recalls of edges without evidence, and record that the facts of their ends changed.
DELETE FROM fact_vector WHERE knowledge_space_id = %(space_id)s AND edge_id = ANY(%(edges)s::uuid[]);
DELETE FROM edge_recall WHERE knowledge_space_id = %(space_id)s AND edge_id = ANY(%(edges)s::uuid[]);
INSERT INTO touched_nodes (knowledge_space_id, id, nodes)
SELECT edge.knowledge_space_id, %(note)s::uuid, array_agg(DISTINCT ends.id)
FROM graph_edge edge CROSS JOIN LATERAL (VALUES (edge.from_node_id), (edge.to_node_id)) AS ends(id)
WHERE edge.knowledge_space_id = %(space_id)s AND edge.id = ANY(%(edges)s::uuid[])
GROUP BY edge.knowledge_space_id
