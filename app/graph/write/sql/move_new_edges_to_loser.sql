-- move_new_edges_to_loser: move edges written since a merge along with the mentions of their chunks.
UPDATE graph_edge SET
    from_node_id = CASE WHEN from_node_id = %(winner)s THEN %(loser)s ELSE from_node_id END,
    to_node_id = CASE WHEN to_node_id = %(winner)s THEN %(loser)s ELSE to_node_id END
WHERE knowledge_space_id = %(space_id)s AND (from_node_id = %(winner)s OR to_node_id = %(winner)s)
  AND from_node_id <> %(loser)s AND to_node_id <> %(loser)s
  AND created_at >= %(since)s AND evidence_chunk_id = ANY(%(chunks)s::uuid[])
