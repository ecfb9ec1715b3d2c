-- list_splits: a page of the ledger of splits, newest first, or one row of it, with the present names of both nodes.
SELECT s.id, s.node_id, g.canonical_name, s.new_node_id, n.canonical_name, s.mentions, s.reason, s.decided_by,
    s.created_at, s.undone_at, s.undone_by
FROM node_split s
LEFT JOIN graph_node g ON g.knowledge_space_id = %(space_id)s AND g.id = s.node_id
LEFT JOIN graph_node n ON n.knowledge_space_id = %(space_id)s AND n.id = s.new_node_id
WHERE s.knowledge_space_id = %(space_id)s AND (%(after)s::uuid IS NULL OR s.id < %(after)s::uuid)
  AND (%(only)s::uuid IS NULL OR s.id = %(only)s::uuid)
ORDER BY s.id DESC
LIMIT %(limit)s
