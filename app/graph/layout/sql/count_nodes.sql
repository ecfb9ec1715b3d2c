-- count_nodes: how many nodes the space has.
SELECT count(*) FROM graph_node WHERE knowledge_space_id = %(space_id)s
