-- list_facts_without_vector: the facts of these chunks without a vector, as node, relation type, node.
-- A fact that another edge states in the same words gets that edge's vector and is not returned.
INSERT INTO fact_vector AS written (knowledge_space_id, edge_id, vector_set, embedding)
SELECT bare.knowledge_space_id, bare.id, %(vector_set)s::int, twin.embedding
FROM (
    -- include bare_facts
) AS bare CROSS JOIN LATERAL (
    SELECT v.embedding FROM (
        SELECT id, relation_type FROM graph_edge
        WHERE knowledge_space_id = %(space_id)s
          AND (from_node_id, to_node_id) >= (bare.from_node_id, bare.to_node_id)
          AND (from_node_id, to_node_id) <= (bare.from_node_id, bare.to_node_id)
        OFFSET 0  -- See confirm_edges.
    ) AS o
    CROSS JOIN LATERAL (
        SELECT f.embedding FROM fact_vector f
        WHERE f.knowledge_space_id = %(space_id)s AND f.edge_id = o.id AND f.vector_set = %(vector_set)s LIMIT 1
    ) AS v
    WHERE o.relation_type = bare.relation_type
    LIMIT 1
) AS twin
ORDER BY bare.id
ON CONFLICT (knowledge_space_id, edge_id, vector_set) DO NOTHING;
SELECT bare.id, f.canonical_name, replace(bare.relation_type, '_', ' '), t.canonical_name
FROM (
    -- include bare_facts
) AS bare
JOIN graph_node f ON f.knowledge_space_id = %(space_id)s AND f.id = bare.from_node_id
JOIN graph_node t ON t.knowledge_space_id = %(space_id)s AND t.id = bare.to_node_id
ORDER BY bare.id
