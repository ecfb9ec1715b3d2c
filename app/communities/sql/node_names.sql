-- node_names: the names of these nodes.
SELECT id, canonical_name FROM graph_node WHERE knowledge_space_id = %(space_id)s AND id = ANY(%(ids)s::uuid[])
