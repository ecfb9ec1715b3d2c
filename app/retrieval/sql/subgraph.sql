-- subgraph: what the walk needs around a question, as columns of bytes: nodes, chunks, who names whom, edges.
-- Nodes: the anchors, what their strongest edges lead to, what the seed chunks name. Chunks: the seeds, and
-- those that name one of these nodes; of a node that more than hub chunks name, those that are about it.
-- Numbers are places in the lists of nodes and chunks. Of mentions all of a chunk count, so that its share of
-- each is the same whatever else was fetched: those of other nodes have node -1.
WITH anchor AS MATERIALIZED (
    SELECT DISTINCT id FROM unnest(%(anchors)s::uuid[]) AS given (id)
), seed AS MATERIALIZED (
    SELECT DISTINCT id FROM unnest(%(seeds)s::uuid[]) AS given (id)
), beside AS MATERIALIZED (
    SELECT edge.other AS id FROM anchor CROSS JOIN LATERAL (
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
), reached AS MATERIALIZED (
    SELECT id, min(rank) AS rank FROM (
        SELECT id, 0 AS rank FROM anchor
        UNION ALL SELECT id, 1 FROM beside
        UNION ALL SELECT m.node_id, 2 FROM seed JOIN node_mention m
            ON m.knowledge_space_id = %(space_id)s AND m.chunk_id = seed.id
    ) AS found GROUP BY id
), node AS MATERIALIZED (
    SELECT (row_number() OVER (ORDER BY n.id) - 1)::int AS place, n.* FROM (
        SELECT n.id, n.mention_count, n.out_degree + n.in_degree AS degree
        FROM reached JOIN graph_node n ON n.knowledge_space_id = %(space_id)s AND n.id = reached.id
        WHERE n.deleted_at IS NULL
        ORDER BY reached.rank, n.mention_count, n.id LIMIT %(max_nodes)s
    ) AS n
), naming AS MATERIALIZED (
    SELECT id, min(rank) AS rank FROM (
        SELECT id, 0 AS rank FROM seed
        UNION ALL
        SELECT m.chunk_id, 1 + node.mention_count FROM node JOIN node_mention m
            ON m.knowledge_space_id = %(space_id)s AND m.node_id = node.id
        WHERE node.mention_count <= %(hub)s
        UNION ALL
        SELECT m.chunk_id, 1 FROM node JOIN node_mention m
            ON m.knowledge_space_id = %(space_id)s AND m.node_id = node.id AND m.titular
        WHERE node.mention_count > %(hub)s
    ) AS found GROUP BY id ORDER BY min(rank), id LIMIT %(max_chunks)s
), chunk AS MATERIALIZED (
    SELECT (row_number() OVER (ORDER BY c.id) - 1)::int AS place, c.id,
        coalesce(1 - (c.embedding <=> %(vector)s::halfvec), 0)::real AS similarity
    FROM naming JOIN knowledge_chunk c ON c.knowledge_space_id = %(space_id)s AND c.id = naming.id
), mention AS MATERIALIZED (
    SELECT chunk.place AS chunk, coalesce(node.place, -1) AS node, m.titular
    FROM chunk JOIN node_mention m ON m.knowledge_space_id = %(space_id)s AND m.chunk_id = chunk.id
    LEFT JOIN node ON node.id = m.node_id
), edge AS MATERIALIZED (
    SELECT e.id, node.place AS begin, other.place AS finish, e.evidence_chunk_id
    FROM node CROSS JOIN LATERAL (
        SELECT id, to_node_id, evidence_chunk_id FROM graph_edge
        WHERE knowledge_space_id = %(space_id)s AND from_node_id = node.id AND deleted_at IS NULL
          AND (invalidated_at IS NULL OR invalidated_at > %(as_of)s::timestamptz)
          AND (%(as_of)s::timestamptz IS NULL OR valid_from IS NULL OR valid_from <= %(as_of)s::timestamptz)
        ORDER BY weight DESC LIMIT %(edges_per_node)s
    ) AS e
    JOIN node AS other ON other.id = e.to_node_id
), fact AS MATERIALIZED (
    SELECT edge.*, coalesce(chunk.place, -1) AS chunk,
        coalesce(1 - (v.embedding <=> %(vector)s::halfvec), 0)::real AS similarity
    FROM edge
    LEFT JOIN chunk ON chunk.id = edge.evidence_chunk_id
    LEFT JOIN fact_vector v ON v.knowledge_space_id = %(space_id)s AND v.edge_id = edge.id
)
SELECT
    (SELECT array_agg(id ORDER BY place) FROM node),
    (SELECT string_agg(int4send(mention_count) || int4send(degree), '' ORDER BY place) FROM node),
    (SELECT array_agg(id ORDER BY place) FROM chunk),
    (SELECT string_agg(float4send(similarity), '' ORDER BY place) FROM chunk),
    (SELECT string_agg(int4send(chunk) || int4send(node) || int4send(titular::int), '') FROM mention),
    (SELECT array_agg(id ORDER BY id) FROM fact),
    (SELECT string_agg(int4send(begin) || int4send(finish) || int4send(chunk) || float4send(similarity), ''
        ORDER BY id) FROM fact)
