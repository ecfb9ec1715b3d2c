-- aggregate_edges_by_claim: the claims that leave or enter a node, with the summed weights of their edges.
SELECT edge.from_node_id, source.canonical_name, edge.to_node_id, target.canonical_name, edge.relation_type,
    sum(edge.weight), count(*),
    (array_agg(edge.metadata ->> 'quote' ORDER BY edge.weight DESC, edge.confidence DESC, edge.id)
        FILTER (WHERE edge.metadata ->> 'quote' IS NOT NULL))[1]
FROM (
    (SELECT id, from_node_id, to_node_id, relation_type, weight, confidence, metadata
     FROM graph_edge
     WHERE knowledge_space_id = %(space_id)s AND from_node_id = %(node_id)s
       AND edge_holds(deleted_at, invalidated_at)
     ORDER BY weight DESC LIMIT %(rows)s)
    UNION ALL
    (SELECT id, from_node_id, to_node_id, relation_type, weight, confidence, metadata
     FROM graph_edge
     WHERE knowledge_space_id = %(space_id)s AND to_node_id = %(node_id)s AND from_node_id <> %(node_id)s
       AND edge_holds(deleted_at, invalidated_at)
     ORDER BY weight DESC LIMIT %(rows)s)
) AS edge
JOIN graph_node AS source
    ON source.knowledge_space_id = %(space_id)s AND source.id = edge.from_node_id
JOIN graph_node AS target
    ON target.knowledge_space_id = %(space_id)s AND target.id = edge.to_node_id
GROUP BY edge.from_node_id, source.canonical_name, edge.to_node_id, target.canonical_name, edge.relation_type
ORDER BY sum(edge.weight) DESC, edge.from_node_id, edge.to_node_id, edge.relation_type
LIMIT (SELECT %(limit)s::int)
