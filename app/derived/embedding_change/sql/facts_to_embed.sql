-- facts_to_embed: of the next facts by id those without a vector in one set, as node, relation type, node; and the last id.
-- One that another edge states in the same words takes over that edge's vector and is not returned. As
-- chunks_to_embed answers.
INSERT INTO fact_vector AS written (knowledge_space_id, edge_id, vector_set, embedding)
SELECT bare.knowledge_space_id, bare.id, %(into_set)s::int, twin.embedding
FROM (
    SELECT e.knowledge_space_id, e.id, e.from_node_id, e.relation_type, e.to_node_id FROM graph_edge e
    WHERE e.knowledge_space_id = %(space_id)s AND e.id > %(after)s ORDER BY e.id LIMIT %(limit)s
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
        WHERE f.knowledge_space_id = %(space_id)s AND f.edge_id = o.id AND f.vector_set = %(into_set)s LIMIT 1
    ) AS v
    WHERE o.relation_type = bare.relation_type
    LIMIT 1
) AS twin
WHERE (
    SELECT v.edge_id FROM fact_vector v
    WHERE v.knowledge_space_id = %(space_id)s AND v.edge_id = bare.id AND v.vector_set = %(into_set)s LIMIT 1
) IS NULL
ORDER BY bare.id
ON CONFLICT (knowledge_space_id, edge_id, vector_set) DO NOTHING;
WITH part AS MATERIALIZED (
    SELECT e.knowledge_space_id, e.id, e.from_node_id, e.relation_type, e.to_node_id FROM graph_edge e
    WHERE e.knowledge_space_id = %(space_id)s AND e.id > %(after)s ORDER BY e.id LIMIT %(limit)s
), bare AS MATERIALIZED (
    SELECT part.* FROM part
    WHERE (
        SELECT v.edge_id FROM fact_vector v
        WHERE v.knowledge_space_id = %(space_id)s AND v.edge_id = part.id AND v.vector_set = %(into_set)s LIMIT 1
    ) IS NULL
), told AS (
    SELECT bare.id, f.canonical_name || ' ' || replace(bare.relation_type, '_', ' ') || ' ' || t.canonical_name AS words
    FROM bare
    CROSS JOIN LATERAL (
        SELECT n.canonical_name FROM graph_node n
        WHERE n.knowledge_space_id = %(space_id)s AND n.id = bare.from_node_id LIMIT 1
    ) AS f
    CROSS JOIN LATERAL (
        SELECT n.canonical_name FROM graph_node n
        WHERE n.knowledge_space_id = %(space_id)s AND n.id = bare.to_node_id LIMIT 1
    ) AS t
)
SELECT last.id, told.id, told.words
FROM (SELECT part.id FROM part ORDER BY part.id DESC LIMIT 1) AS last LEFT JOIN told ON true
