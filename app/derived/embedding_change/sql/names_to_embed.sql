-- names_to_embed: some names of nodes, the first by id, for an estimate of how long such texts are.
SELECT n.canonical_name FROM graph_node n WHERE n.knowledge_space_id = %(space_id)s ORDER BY n.id LIMIT %(limit)s
