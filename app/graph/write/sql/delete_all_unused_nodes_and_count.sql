-- delete_all_unused_nodes_and_count: delete the space's nodes without edges and mentions; return them with their names.
DELETE FROM graph_node
WHERE knowledge_space_id = %(space_id)s AND mention_count = 0 AND out_degree = 0 AND in_degree = 0
  AND source = 'extraction'
RETURNING id,
    -- include names_of_gone
