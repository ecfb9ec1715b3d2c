-- count_contradicted_ends: the number of edges that ended without a decision in force in the ledger, or at another moment.
SELECT count(*) FROM graph_edge AS edge
LEFT JOIN edge_invalidation AS ending
    ON ending.knowledge_space_id = %(space_id)s AND ending.edge_id = edge.id AND ending.undone_at IS NULL
WHERE edge.knowledge_space_id = %(space_id)s AND edge.polarity = 'asserted'
  AND edge.invalidated_at IS DISTINCT FROM ending.invalidated_at
