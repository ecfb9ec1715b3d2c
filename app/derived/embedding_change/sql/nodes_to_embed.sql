-- nodes_to_embed: of the next nodes by id those without a vector in one set, with their names; and the last id.
-- As chunks_to_embed answers.
WITH part AS MATERIALIZED (
    SELECT n.id, n.canonical_name FROM graph_node n
    WHERE n.knowledge_space_id = %(space_id)s AND n.id > %(after)s ORDER BY n.id LIMIT %(limit)s
), bare AS (
    SELECT part.id, part.canonical_name FROM part
    WHERE (
        SELECT v.node_id FROM node_vector v
        WHERE v.knowledge_space_id = %(space_id)s AND v.node_id = part.id AND v.vector_set = %(into_set)s LIMIT 1
    ) IS NULL
)
SELECT last.id, bare.id, bare.canonical_name
FROM (SELECT part.id FROM part ORDER BY part.id DESC LIMIT 1) AS last LEFT JOIN bare ON true
