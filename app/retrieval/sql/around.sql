-- around: the nodes and chunks that a walk from these anchors and seed chunks may pass, each list bounded.
-- Nodes: the anchors, what their strongest edges lead to, what the seeds name. Chunks: the seeds, and those
-- that name one of these nodes: anchors first, then what their edges lead to, then what seeds name, rare nodes
-- before others; of a node that more than hub chunks name, those that are about it. Nodes are read until they
-- are named twice as often as chunks are wanted: the others would bring nothing that is kept. The LIMIT in
-- each LATERAL makes it an index probe whatever the planner believes of the space's size.
WITH beside AS (
    SELECT edge.other AS id
    FROM unnest(%(anchors)s::uuid[]) AS anchor (id) CROSS JOIN LATERAL (
        (SELECT to_node_id AS other FROM graph_edge
         WHERE knowledge_space_id = %(space_id)s AND from_node_id = anchor.id AND deleted_at IS NULL
           AND (invalidated_at IS NULL OR invalidated_at > %(as_of)s::timestamptz)
         ORDER BY weight DESC LIMIT %(fan_out)s)
        UNION ALL
        (SELECT from_node_id FROM graph_edge
         WHERE knowledge_space_id = %(space_id)s AND to_node_id = anchor.id AND deleted_at IS NULL
           AND (invalidated_at IS NULL OR invalidated_at > %(as_of)s::timestamptz)
         ORDER BY weight DESC LIMIT %(fan_out)s)
    ) AS edge
), named AS (
    SELECT mention.node_id AS id
    FROM unnest(%(seeds)s::uuid[]) AS seed (id) CROSS JOIN LATERAL (
        SELECT node_id FROM node_mention
        WHERE knowledge_space_id = %(space_id)s AND chunk_id = seed.id LIMIT %(per_chunk)s
    ) AS mention
), reached AS (
    SELECT id, min(rank) AS rank FROM (
        SELECT id, 0 AS rank FROM unnest(%(anchors)s::uuid[]) AS anchor (id)
        UNION ALL SELECT id, 1 FROM beside
        UNION ALL SELECT id, 2 FROM named
    ) AS found GROUP BY id
), node AS MATERIALIZED (
    SELECT node.*, reached.rank FROM reached CROSS JOIN LATERAL (
        SELECT n.id, n.canonical_name, n.mention_count, n.out_degree + n.in_degree AS degree FROM graph_node n
        WHERE n.knowledge_space_id = %(space_id)s AND n.id = reached.id AND n.deleted_at IS NULL LIMIT 1
    ) AS node
    ORDER BY reached.rank, node.mention_count, node.id LIMIT %(max_nodes)s
), counted AS (
    SELECT id, row_number() OVER (ORDER BY rank, mention_count, id) AS turn,
        sum(mention_count) OVER (ORDER BY rank, mention_count, id) - mention_count AS before
    FROM node WHERE mention_count <= %(hub)s
), chunk AS MATERIALIZED (
    SELECT id FROM (
        SELECT id, 0 AS rank FROM unnest(%(seeds)s::uuid[]) AS seed (id)
        UNION ALL
        SELECT mention.chunk_id, 1 + counted.turn FROM counted CROSS JOIN LATERAL (
            SELECT chunk_id FROM node_mention
            WHERE knowledge_space_id = %(space_id)s AND node_id = counted.id LIMIT %(hub)s
        ) AS mention
        WHERE counted.before < 2 * %(max_chunks)s
        UNION ALL
        SELECT mention.chunk_id, 1 FROM node CROSS JOIN LATERAL (
            SELECT chunk_id FROM node_mention
            WHERE knowledge_space_id = %(space_id)s AND node_id = node.id AND titular LIMIT %(hub)s
        ) AS mention
        WHERE node.mention_count > %(hub)s
    ) AS found GROUP BY id ORDER BY min(rank), id LIMIT %(max_chunks)s
)
SELECT
    (SELECT array_agg(id ORDER BY id) FROM node),
    (SELECT array_agg(canonical_name ORDER BY id) FROM node),
    (SELECT string_agg(int4send(mention_count) || int4send(degree), '' ORDER BY id) FROM node),
    (SELECT array_agg(id ORDER BY id) FROM chunk)
