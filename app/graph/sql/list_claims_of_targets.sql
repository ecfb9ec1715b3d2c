-- list_claims_of_targets: all claims of these (relation, target) pairs, whatever their source.
SELECT DISTINCT edge.from_node_id, edge.relation_type, edge.to_node_id
FROM unnest(%(relations)s::text[], %(to_nodes)s::uuid[]) AS given (relation_type, to_node_id)
JOIN graph_edge AS edge ON edge.knowledge_space_id = %(space_id)s
    AND edge.to_node_id = given.to_node_id AND edge.relation_type = given.relation_type
WHERE edge.deleted_at IS NULL AND edge.polarity <> 'reported'
