-- likely_pairs: pairs of nodes that share a key of likely spellings, one named by these chunks; rare keys first.
WITH own AS MATERIALIZED (
    SELECT DISTINCT k.key, k.node_id
    FROM (SELECT DISTINCT m.node_id FROM node_mention m
          WHERE m.knowledge_space_id = %(space_id)s AND m.chunk_id = ANY(%(chunks)s::uuid[])) AS named
    JOIN node_name_key k ON k.knowledge_space_id = %(space_id)s AND k.node_id = named.node_id
    WHERE k.key NOT LIKE '=%%'
), block AS MATERIALIZED (
    -- A key of very many nodes says little: it shows its oldest ones only.
    SELECT wanted.key, near.node_id FROM (SELECT DISTINCT key FROM own) AS wanted
    CROSS JOIN LATERAL (
        SELECT k.node_id FROM node_name_key k WHERE k.knowledge_space_id = %(space_id)s AND k.key = wanted.key
        ORDER BY k.node_id LIMIT %(widest)s
    ) AS near
)
SELECT least(own.node_id, block.node_id), greatest(own.node_id, block.node_id)
FROM own JOIN (SELECT key, node_id, count(*) OVER (PARTITION BY key) AS width FROM block) AS block
    ON block.key = own.key AND block.node_id <> own.node_id
GROUP BY 1, 2
ORDER BY min(block.width), 1, 2
LIMIT %(limit)s
