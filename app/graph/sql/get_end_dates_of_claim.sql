-- get_end_dates_of_claim: the end dates of all rows of this edge's claim.
SELECT row.id, row.invalidated_at
FROM graph_edge AS edge
JOIN graph_edge AS row
    ON row.knowledge_space_id = %(space_id)s AND row.from_node_id = edge.from_node_id
   AND row.to_node_id >= edge.to_node_id AND row.to_node_id <= edge.to_node_id
   AND row.relation_type = edge.relation_type AND row.deleted_at IS NULL
WHERE edge.knowledge_space_id = %(space_id)s AND edge.id = %(edge)s AND edge.deleted_at IS NULL
ORDER BY row.id
