-- claims_due: the claims ended with this reason, because they begin later, each with the seconds until it begins; negative if past.
SELECT edge.from_node_id, edge.relation_type, edge.to_node_id,
    extract(epoch FROM min(ending.invalidated_at) - now())::float8
FROM edge_invalidation AS ending
JOIN graph_edge AS edge ON edge.knowledge_space_id = %(space_id)s AND edge.id = ending.edge_id
WHERE ending.knowledge_space_id = %(space_id)s AND ending.undone_at IS NULL AND ending.kind = 'source'
  AND ending.reason = %(reason)s
GROUP BY edge.from_node_id, edge.relation_type, edge.to_node_id
