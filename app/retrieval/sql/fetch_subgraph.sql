-- fetch_subgraph: the nodes and chunks that a walk from these anchors and seed chunks may pass, and their links.
-- Nodes: the anchors, the targets of their strongest edges, and the nodes mentioned by the first seeds (`naming`).
-- Chunks: the seeds, and those that mention one of these nodes, in the order anchors, their neighbours, nodes of
-- seeds, rare nodes before others; for a node mentioned in more than `hub` chunks only those about it. Nodes are read
-- until their mentions are twice the number of chunks wanted: the others would add no chunk.
-- Then all mentions in these chunks, and the facts that they state, so that the walk passes every node that they
-- mention, not only those that led to them. Of these nodes, those mentioned by at least `often` of the chunks are
-- looked up too, because a node mentioned in many other chunks links nothing; the counts of the others cover only
-- this subgraph.
-- A fact is compared with the question if it touches an anchor, or if one of the first seeds (`stating`) states it.
-- The LIMIT in each LATERAL makes it an index probe, whatever the planner estimates for the space's size, and there
-- are no other joins: the caller matches the ids. A membership tested for truth cannot become a join. The results are
-- binary records for numpy: nodes that were looked up (id, chunks that mention it, its edges), their names, chunks
-- (place, id, similarity to the question and to its remainder), mentions (twice the chunk's place, plus one if
-- titular; node), facts (from, to, similarity), and the number of nodes that led to chunks.
WITH beside AS (
    SELECT edge.other AS id
    FROM unnest(%(anchors)s::uuid[]) AS anchor (id) CROSS JOIN LATERAL (
        (SELECT to_node_id AS other FROM graph_edge
         WHERE knowledge_space_id = %(space_id)s AND from_node_id = anchor.id AND evidence_chunk_id IS NOT NULL
           AND edge_holds_at(deleted_at, invalidated_at, valid_from, ends_at, %(as_of)s::timestamptz)
         ORDER BY weight DESC LIMIT %(fan_out)s)
        UNION ALL
        (SELECT from_node_id FROM graph_edge
         WHERE knowledge_space_id = %(space_id)s AND to_node_id = anchor.id AND evidence_chunk_id IS NOT NULL
           AND edge_holds_at(deleted_at, invalidated_at, valid_from, ends_at, %(as_of)s::timestamptz)
         ORDER BY weight DESC LIMIT %(fan_out)s)
    ) AS edge
), named AS (
    SELECT mention.node_id AS id
    FROM unnest((%(seeds)s::uuid[])[:%(naming)s]) AS seed (id) CROSS JOIN LATERAL (
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
        WHERE n.knowledge_space_id = %(space_id)s AND n.id = reached.id LIMIT 1
    ) AS node
    ORDER BY reached.rank, node.mention_count, node.id LIMIT %(max_nodes)s
), counted AS (
    SELECT id, row_number() OVER nearest AS turn, sum(mention_count) OVER nearest - mention_count AS before
    FROM node WHERE mention_count <= %(hub)s
    WINDOW nearest AS (ORDER BY rank, mention_count, id ROWS UNBOUNDED PRECEDING)
), chunk AS MATERIALIZED (
    SELECT id, (row_number() OVER () - 1)::int AS place FROM (
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
    ) AS kept
), mention AS MATERIALIZED (
    SELECT chunk.place, stored.node_id, stored.titular FROM chunk CROSS JOIN LATERAL (
        SELECT node_id, titular FROM node_mention
        WHERE knowledge_space_id = %(space_id)s AND chunk_id = chunk.id LIMIT %(per_chunk)s
    ) AS stored
), often AS (
    SELECT node.* FROM (
        SELECT node_id FROM mention WHERE (node_id IN (SELECT id FROM node)) IS NOT TRUE
        GROUP BY node_id HAVING count(*) >= %(often)s
    ) AS named CROSS JOIN LATERAL (
        SELECT n.id, n.canonical_name, n.mention_count, n.out_degree + n.in_degree AS degree FROM graph_node n
        WHERE n.knowledge_space_id = %(space_id)s AND n.id = named.node_id LIMIT 1
    ) AS node
), fact AS (
    SELECT edge.from_node_id, edge.to_node_id, edge.id,
        chunk.leads OR edge.from_node_id = ANY(%(anchors)s::uuid[]) OR edge.to_node_id = ANY(%(anchors)s::uuid[]) AS entered
    FROM (
        SELECT id, id = ANY((%(seeds)s::uuid[])[:%(stating)s]) AS leads FROM chunk
    ) AS chunk CROSS JOIN LATERAL (
        SELECT id, from_node_id, to_node_id FROM graph_edge
        -- A range of one: by equality all edges would be gone through while the statistics know one evidence alone.
        WHERE knowledge_space_id = %(space_id)s AND evidence_chunk_id BETWEEN chunk.id AND chunk.id
          AND edge_holds_at(deleted_at, invalidated_at, valid_from, ends_at, %(as_of)s::timestamptz)
        LIMIT %(per_chunk)s
    ) AS edge
)
SELECT nodes.records, nodes.names, chunks.records, mentions.records, facts.records, nodes.leading
FROM (
    SELECT string_agg(uuid_send(id) || int4send(mention_count) || int4send(degree), '') AS records,
        array_agg(canonical_name) AS names, count(*) FILTER (WHERE leads)::int AS leading
    FROM (
        SELECT id, mention_count, degree, canonical_name, true AS leads FROM node
        UNION ALL SELECT id, mention_count, degree, canonical_name, false FROM often
    ) AS known
) AS nodes, (
    SELECT string_agg(
        int4send(chunk.place) || uuid_send(chunk.id)
            || float4send(coalesce(1 - (vector.embedding <=> %(question)s::halfvec), 0)::real)
            || float4send(coalesce(1 - (vector.embedding <=> %(rest)s::halfvec), 0)::real), ''
    ) AS records
    FROM chunk LEFT JOIN LATERAL (
        SELECT embedding FROM chunk_vector
        WHERE knowledge_space_id = %(space_id)s AND chunk_id = chunk.id AND vector_set = %(vector_set)s LIMIT 1
    ) AS vector ON true
) AS chunks, (
    SELECT string_agg(int4send(2 * place + titular::int) || uuid_send(node_id), '') AS records FROM mention
) AS mentions, (
    SELECT string_agg(
        uuid_send(from_node_id) || uuid_send(to_node_id)
            || float4send(CASE WHEN entered THEN coalesce((
                SELECT 1 - (embedding <=> %(question)s::halfvec) FROM fact_vector
                WHERE knowledge_space_id = %(space_id)s AND edge_id = fact.id AND vector_set = %(vector_set)s LIMIT 1
            ), 0)::real ELSE 0 END), ''
    ) AS records
    FROM fact
) AS facts
