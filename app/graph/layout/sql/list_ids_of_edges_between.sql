-- list_ids_of_edges_between: the edges between two nodes in both directions, including ended and denied ones; current ones first.
SELECT edge.id FROM (
    SELECT id, deleted_at, invalidated_at, weight FROM graph_edge
    WHERE knowledge_space_id = %(space_id)s AND from_node_id = %(one)s AND to_node_id = %(other)s AND deleted_at IS NULL
    UNION ALL
    SELECT id, deleted_at, invalidated_at, weight FROM graph_edge
    WHERE knowledge_space_id = %(space_id)s AND from_node_id = %(other)s AND to_node_id = %(one)s AND deleted_at IS NULL
) AS edge
ORDER BY edge_holds(edge.deleted_at, edge.invalidated_at) DESC, edge.weight DESC, edge.id LIMIT %(limit)s
