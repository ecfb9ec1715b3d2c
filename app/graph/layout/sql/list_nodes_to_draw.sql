-- list_nodes_to_draw: these nodes with the columns for drawing, most mentioned first.
SELECT id, canonical_name, node_type, mention_count, out_degree + in_degree, confidence
FROM graph_node WHERE knowledge_space_id = %(space_id)s AND id = ANY(%(ids)s::uuid[])
ORDER BY mention_count DESC, id
