-- get_nodes_with_names_and_keys: nodes with the columns that a change of their names needs.
SELECT g.id, g.canonical_name, g.node_type, g.mention_count, g.metadata, g.confidence, g.first_seen_at, g.last_seen_at
FROM unnest(%(nodes)s::uuid[]) AS given (id)
CROSS JOIN LATERAL (
    SELECT id, canonical_name, node_type, mention_count, metadata, confidence, first_seen_at, last_seen_at
    FROM graph_node WHERE knowledge_space_id = %(space_id)s AND id = given.id LIMIT 1
) AS g
ORDER BY g.id
