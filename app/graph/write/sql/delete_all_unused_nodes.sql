-- delete_all_unused_nodes: remove the nodes of the space that no edge touches and no chunk names; which, and their names.
DELETE FROM graph_node
WHERE knowledge_space_id = %(space_id)s AND mention_count = 0 AND out_degree = 0 AND in_degree = 0
  AND source = 'extraction'
RETURNING id,
    -- include names_of_gone
