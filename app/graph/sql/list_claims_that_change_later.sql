-- list_claims_that_change_later: the claims that begin or end at a later moment, each with the seconds from `now` until then; at most 0 if it has come.
-- Those that begin later are ended with this reason. Denials count from when they were written, since earlier ones have
-- ended what they deny. Only rows with dates of their own are kept, but all claims of the space are read.
SELECT due.from_node_id, due.relation_type, due.to_node_id, extract(epoch FROM min(due.moment) - %(now)s::timestamptz)::float8
FROM (
    SELECT edge.from_node_id, edge.relation_type, edge.to_node_id, ending.invalidated_at AS moment
    FROM edge_invalidation AS ending
    JOIN graph_edge AS edge ON edge.knowledge_space_id = %(space_id)s AND edge.id = ending.edge_id
    WHERE ending.knowledge_space_id = %(space_id)s AND ending.undone_at IS NULL AND ending.kind = 'source'
      AND ending.reason = %(reason)s
    UNION ALL
    SELECT from_node_id, relation_type, to_node_id,
        (valid_to AT TIME ZONE 'UTC' + ('1 ' || coalesce(valid_to_precision, 'day'))::interval) AT TIME ZONE 'UTC'
    FROM graph_edge
    WHERE knowledge_space_id = %(space_id)s AND edge_holds(deleted_at, invalidated_at)
      AND evidence_chunk_id IS NOT NULL AND valid_to IS NOT NULL
    UNION ALL
    SELECT from_node_id, relation_type, to_node_id, valid_from FROM graph_edge
    WHERE knowledge_space_id = %(space_id)s AND deleted_at IS NULL AND polarity = 'denied'
      AND evidence_chunk_id IS NOT NULL AND valid_from > created_at
) AS due
GROUP BY due.from_node_id, due.relation_type, due.to_node_id
