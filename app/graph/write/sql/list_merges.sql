-- list_merges: a page of the ledger, newest first, or one row of it, with the present name of the winner.
SELECT m.id, m.winner_node_id, w.canonical_name, m.loser_node_id, m.loser_name, m.loser_type, m.reason, m.decided_by,
    m.confidence, m.created_at, m.undone_at, m.undone_by
FROM node_merge m
LEFT JOIN graph_node w ON w.knowledge_space_id = %(space_id)s AND w.id = m.winner_node_id
WHERE m.knowledge_space_id = %(space_id)s AND (%(after)s::uuid IS NULL OR m.id < %(after)s::uuid)
  AND (%(only)s::uuid IS NULL OR m.id = %(only)s::uuid)
ORDER BY m.id DESC
LIMIT %(limit)s
