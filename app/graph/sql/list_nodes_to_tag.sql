-- list_nodes_to_tag: the nodes that these chunks mention and that have claims, by id.
WITH named AS MATERIALIZED (
    SELECT DISTINCT m.node_id
    FROM unnest(%(chunks)s::uuid[]) AS wanted(chunk_id)
    CROSS JOIN LATERAL (
        SELECT o.node_id FROM node_mention o
        WHERE o.knowledge_space_id = %(space_id)s AND o.chunk_id = wanted.chunk_id
        OFFSET 0
    ) AS m
)
SELECT n.id FROM named
CROSS JOIN LATERAL (
    SELECT g.id FROM graph_node g
    WHERE g.knowledge_space_id = %(space_id)s AND g.id = named.node_id
      AND g.out_degree + g.in_degree > 0
    LIMIT 1
) AS n
ORDER BY n.id
