-- list_nodes_without_vector: the nodes that these chunks mention without a vector, with their names.
-- The LIMITs make it one probe per id: a join would read all mentions of a growing space.
WITH named AS MATERIALIZED (
    SELECT DISTINCT m.node_id
    FROM unnest(%(chunks)s::uuid[]) AS wanted(chunk_id)
    CROSS JOIN LATERAL (
        SELECT o.node_id FROM node_mention o
        WHERE o.knowledge_space_id = %(space_id)s AND o.chunk_id = wanted.chunk_id
        OFFSET 0
    ) AS m
)
SELECT n.id, n.canonical_name
FROM named
CROSS JOIN LATERAL (
    SELECT g.id, g.canonical_name FROM graph_node g
    WHERE g.knowledge_space_id = %(space_id)s AND g.id = named.node_id
    LIMIT 1
) AS n
WHERE (
    SELECT v.node_id FROM node_vector v
    WHERE v.knowledge_space_id = %(space_id)s AND v.node_id = named.node_id AND v.vector_set = %(vector_set)s LIMIT 1
) IS NULL
ORDER BY n.id
