-- read_nodes: all nodes of the space as a block of ids.
SELECT string_agg(uuid_send(id), NULL) FROM graph_node WHERE knowledge_space_id = %(space_id)s
