-- delete_notes_on_nodes_with_few_facts: forget the notes on nodes without a summary that have too few facts to be worth one.
DELETE FROM changed_node
USING graph_node
WHERE changed_node.knowledge_space_id = %(space_id)s AND graph_node.knowledge_space_id = %(space_id)s
  AND graph_node.id = changed_node.node_id AND graph_node.out_degree + graph_node.in_degree < %(least)s
  AND NOT EXISTS (
      SELECT 1 FROM node_summary AS standing
      WHERE standing.knowledge_space_id = %(space_id)s AND standing.node_id = changed_node.node_id
  )
