-- names_of_gone: the normalised names of a node before this statement.
ARRAY(SELECT normalised_name FROM node_name
      WHERE node_name.knowledge_space_id = %(space_id)s AND node_name.node_id = graph_node.id)
