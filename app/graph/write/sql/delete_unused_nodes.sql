-- delete_unused_nodes: delete those of these nodes without edges and mentions; return them with their names.
DELETE FROM graph_node
WHERE knowledge_space_id = %(space_id)s AND id = ANY(%(nodes)s::uuid[])
  AND out_degree = 0 AND in_degree = 0 AND mention_count = 0 AND source = 'extraction'
RETURNING id,
    -- include names_of_gone
