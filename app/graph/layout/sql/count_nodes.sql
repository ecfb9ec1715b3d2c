-- count_nodes: the number of nodes in the space.
SELECT count(*) FROM graph_node WHERE knowledge_space_id = %(space_id)s
