-- count_edges_of_nodes: how many edges touch each of these nodes that are there.
SELECT id, out_degree + in_degree FROM graph_node
WHERE knowledge_space_id = %(space_id)s AND id = ANY(%(nodes)s::uuid[])
