-- search_nodes: a page of the nodes whose names contain at least `needed` of these words, most mentioned first.
WITH named AS MATERIALIZED (
    SELECT holding.node_id AS id
    FROM unnest(%(patterns)s::text[]) AS word (pattern)
    CROSS JOIN LATERAL (
        SELECT DISTINCT name.node_id FROM node_name AS name
        WHERE name.knowledge_space_id = %(space_id)s AND name.normalised_name LIKE word.pattern ESCAPE '!'
    ) AS holding
    GROUP BY holding.node_id
    HAVING count(*) >= %(needed)s::int
)
SELECT
    node.id, node.canonical_name, node.node_type, node.metadata::text, node.mention_count, node.out_degree, node.in_degree,
    node.confidence, node.source, node.first_seen_at, node.last_seen_at
FROM named
JOIN graph_node AS node
    ON node.knowledge_space_id = %(space_id)s AND node.id = named.id
WHERE
    -- include node_passes
ORDER BY node.mention_count DESC, node.id
LIMIT %(limit)s
