-- claims_in_doubt: those of these claims that a row denies or of which a row ended: how they stand is worked out anew.
SELECT given.from_node_id, given.relation_type, given.to_node_id
FROM unnest(%(from_nodes)s::uuid[], %(relations)s::text[], %(to_nodes)s::uuid[])
    AS given (from_node_id, relation_type, to_node_id)
WHERE EXISTS (
    SELECT FROM graph_edge AS edge
    WHERE edge.knowledge_space_id = %(space_id)s AND edge.from_node_id = given.from_node_id
      AND edge.to_node_id >= given.to_node_id AND edge.to_node_id <= given.to_node_id
      AND edge.relation_type = given.relation_type AND edge.deleted_at IS NULL AND edge.invalidated_at IS NOT NULL
)
