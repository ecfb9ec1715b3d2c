-- move_edges_back: return the edges that a merge moved, unless they were moved again.
UPDATE graph_edge SET
    from_node_id = CASE WHEN id = ANY(%(edges_from)s::uuid[]) AND from_node_id = %(winner)s THEN %(loser)s ELSE from_node_id END,
    to_node_id = CASE WHEN id = ANY(%(edges_to)s::uuid[]) AND to_node_id = %(winner)s THEN %(loser)s ELSE to_node_id END
WHERE knowledge_space_id = %(space_id)s AND id = ANY(%(edges_from)s::uuid[] || %(edges_to)s::uuid[])
  AND (from_node_id = %(winner)s OR to_node_id = %(winner)s)
