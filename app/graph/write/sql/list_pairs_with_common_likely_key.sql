-- list_pairs_with_common_likely_key: pairs of nodes with a common key of likely spellings, one mentioned in these chunks; rare keys first.
WITH own AS MATERIALIZED (
    SELECT DISTINCT k.key, k.node_id
    FROM (SELECT DISTINCT m.node_id FROM node_mention m
          WHERE m.knowledge_space_id = %(space_id)s AND m.chunk_id = ANY(%(chunks)s::uuid[])) AS named
    JOIN node_name_key k ON k.knowledge_space_id = %(space_id)s AND k.node_id = named.node_id
    WHERE k.key NOT LIKE '=%%'
), wanted AS (
    SELECT own.key, array_agg(own.node_id) AS named FROM own GROUP BY own.key
), block AS MATERIALIZED (
    -- A key of many nodes is unspecific: use only its oldest nodes.
    SELECT wanted.named, near.nodes FROM wanted
    CROSS JOIN LATERAL (
        SELECT array_agg(first.node_id) AS nodes FROM (
            SELECT k.node_id FROM node_name_key k
            WHERE k.knowledge_space_id = %(space_id)s AND k.key = wanted.key
            ORDER BY k.node_id LIMIT %(widest)s
        ) AS first
    ) AS near
)
-- The pairs of a key are built from its two arrays, so that the planner has no join to choose.
SELECT least(own.node_id, near.node_id), greatest(own.node_id, near.node_id)
FROM block CROSS JOIN LATERAL unnest(block.named) AS own (node_id)
CROSS JOIN LATERAL unnest(block.nodes) AS near (node_id)
WHERE own.node_id <> near.node_id
GROUP BY 1, 2
ORDER BY min(cardinality(block.nodes)), 1, 2
LIMIT %(limit)s
