-- list_strongest_facts_of_nodes: the strongest active facts of these nodes but addresses, and denials, so many in each direction, with quotes.
-- The LIMIT in each LATERAL makes it an index probe whatever the planner believes of the space's size.
-- A denial is known by the index, by the moment at which it counts as ended.
SELECT wanted.node_id, fact.id, fact.from_node_id, source.canonical_name, fact.relation_type, fact.to_node_id,
    target.canonical_name, fact.weight, stated.quote, stated.polarity
FROM unnest(%(nodes)s::uuid[]) AS wanted(node_id)
CROSS JOIN LATERAL (
    (SELECT edge.id, edge.from_node_id, edge.to_node_id, edge.relation_type, edge.weight FROM graph_edge AS edge
     WHERE edge.knowledge_space_id = %(space_id)s AND edge.from_node_id = wanted.node_id
       AND edge.relation_type <> ALL(%(addresses)s::text[]) AND edge.evidence_chunk_id IS NOT NULL
       AND (edge_holds(edge.deleted_at, edge.invalidated_at) OR edge.invalidated_at = '0001-01-02 00:00:00+00'::timestamptz)
     ORDER BY edge.weight DESC LIMIT %(most)s)
    UNION ALL
    (SELECT edge.id, edge.from_node_id, edge.to_node_id, edge.relation_type, edge.weight FROM graph_edge AS edge
     WHERE edge.knowledge_space_id = %(space_id)s AND edge.to_node_id = wanted.node_id
       AND edge.relation_type <> ALL(%(addresses)s::text[]) AND edge.evidence_chunk_id IS NOT NULL
       AND (edge_holds(edge.deleted_at, edge.invalidated_at) OR edge.invalidated_at = '0001-01-02 00:00:00+00'::timestamptz)
     ORDER BY edge.weight DESC LIMIT %(most)s)
) AS fact
CROSS JOIN LATERAL (
    SELECT edge.metadata ->> 'quote' AS quote, edge.polarity FROM graph_edge AS edge
    WHERE edge.knowledge_space_id = %(space_id)s AND edge.id = fact.id LIMIT 1
) AS stated
CROSS JOIN LATERAL (
    SELECT node.canonical_name FROM graph_node AS node
    WHERE node.knowledge_space_id = %(space_id)s AND node.id = fact.from_node_id LIMIT 1
) AS source
CROSS JOIN LATERAL (
    SELECT node.canonical_name FROM graph_node AS node
    WHERE node.knowledge_space_id = %(space_id)s AND node.id = fact.to_node_id LIMIT 1
) AS target
