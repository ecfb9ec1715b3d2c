-- sample_node_names: the names of the first nodes by id, to estimate the length of such texts.
SELECT n.canonical_name FROM graph_node n WHERE n.knowledge_space_id = %(space_id)s ORDER BY n.id LIMIT %(limit)s
