-- fetch_walks_between: the best paths of at most two hops between the two nodes of each pair that pass the filters.
-- With `ended` they may include asserted claims that have ended.
-- `lower_degree` is the end with fewer edges: its strongest edges (at most `probes` per direction) give the middle
-- nodes, and each is looked up with `higher_degree` in the pair index, so that the edges of a hub are never all read.
-- Paths lead from `lower_degree` to `higher_degree`, whichever end the caller named first. Of parallel edges with the
-- same relation in the same direction only the strongest counts, on either side of the middle node: otherwise a hundred
-- documents with one claim would hide all other paths. At most `probes` edges of two nodes are compared. Edges without
-- evidence are the last choice. Statements count less than claims, which matters only between paths: parallel edges have
-- one relation type.
-- The look-up is a range because only the pair index serves its order: an equality would make the order redundant and
-- all indexes of the table equally good, and the planner would not choose the widest one.
WITH pair AS MATERIALIZED (
    SELECT * FROM unnest((SELECT %(lower_degree)s::uuid[]), (SELECT %(higher_degree)s::uuid[]))
        WITH ORDINALITY AS given (lower_degree, higher_degree, place)
), direct AS (
    SELECT pair.place, edge.id AS first_id, NULL::uuid AS second_id, NULL::uuid AS middle,
        edge.relation_type, edge.onwards, NULL::text AS second_type, NULL::boolean AS second_onwards, edge.strength
    FROM pair CROSS JOIN LATERAL (
        (SELECT id, relation_type, true AS onwards, weight * confidence * (CASE WHEN evidence_chunk_id IS NULL THEN 1e-6 ELSE 1 END) AS strength
         FROM graph_edge
         WHERE knowledge_space_id = %(space_id)s AND from_node_id = pair.lower_degree
           AND to_node_id >= pair.higher_degree AND to_node_id <= pair.higher_degree
           AND deleted_at IS NULL
               -- include way_passes
         ORDER BY to_node_id LIMIT (SELECT %(probes)s::int))
        UNION ALL
        (SELECT id, relation_type, false AS onwards, weight * confidence * (CASE WHEN evidence_chunk_id IS NULL THEN 1e-6 ELSE 1 END) AS strength
         FROM graph_edge
         WHERE knowledge_space_id = %(space_id)s AND from_node_id = pair.higher_degree
           AND to_node_id >= pair.lower_degree AND to_node_id <= pair.lower_degree
           AND deleted_at IS NULL
               -- include way_passes
         ORDER BY to_node_id LIMIT (SELECT %(probes)s::int))
    ) AS edge
), beside_lower AS MATERIALIZED (
    SELECT DISTINCT ON (pair.place, edge.middle, edge.relation_type, edge.onwards)
        pair.place, pair.higher_degree, edge.id, edge.middle, edge.relation_type, edge.onwards, edge.strength
    FROM pair CROSS JOIN LATERAL (
        (SELECT id, to_node_id AS middle, relation_type, true AS onwards, weight * confidence * (CASE WHEN evidence_chunk_id IS NULL THEN 1e-6 ELSE 1 END) AS strength
         FROM graph_edge
         WHERE knowledge_space_id = %(space_id)s AND from_node_id = pair.lower_degree
           AND deleted_at IS NULL
               -- include way_passes
               -- include target_passes
           AND (SELECT %(max_hops)s::int > 1)
         ORDER BY weight DESC LIMIT (SELECT %(probes)s::int))
        UNION ALL
        (SELECT id, from_node_id AS middle, relation_type, false AS onwards, weight * confidence * (CASE WHEN evidence_chunk_id IS NULL THEN 1e-6 ELSE 1 END) AS strength
         FROM graph_edge
         WHERE knowledge_space_id = %(space_id)s AND to_node_id = pair.lower_degree
           AND deleted_at IS NULL
               -- include way_passes
               -- include source_passes
           AND (SELECT %(max_hops)s::int > 1)
         ORDER BY weight DESC LIMIT (SELECT %(probes)s::int))
    ) AS edge
    WHERE edge.middle <> pair.lower_degree AND edge.middle <> pair.higher_degree
    ORDER BY pair.place, edge.middle, edge.relation_type, edge.onwards, edge.strength DESC, edge.id
), via_middle AS (
    SELECT beside_lower.place, beside_lower.id, other.id AS second_id, beside_lower.middle,
        beside_lower.relation_type, beside_lower.onwards, other.relation_type, other.onwards,
        beside_lower.strength * other.strength * 0.8 AS strength
    FROM beside_lower CROSS JOIN LATERAL (
        (SELECT id, relation_type, true AS onwards, weight * confidence * (CASE WHEN evidence_chunk_id IS NULL THEN 1e-6 ELSE 1 END) AS strength
         FROM graph_edge
         WHERE knowledge_space_id = %(space_id)s AND from_node_id = beside_lower.middle
           AND to_node_id >= beside_lower.higher_degree AND to_node_id <= beside_lower.higher_degree
           AND deleted_at IS NULL
               -- include way_passes
         ORDER BY to_node_id LIMIT (SELECT %(probes)s::int))
        UNION ALL
        (SELECT id, relation_type, false AS onwards, weight * confidence * (CASE WHEN evidence_chunk_id IS NULL THEN 1e-6 ELSE 1 END) AS strength
         FROM graph_edge
         WHERE knowledge_space_id = %(space_id)s AND from_node_id = beside_lower.higher_degree
           AND to_node_id >= beside_lower.middle AND to_node_id <= beside_lower.middle
           AND deleted_at IS NULL
               -- include way_passes
         ORDER BY to_node_id LIMIT (SELECT %(probes)s::int))
    ) AS other
), best AS MATERIALIZED (
    SELECT *, row_number() OVER () AS path FROM (
        SELECT * FROM (
            SELECT DISTINCT ON (place, middle, relation_type, onwards, second_type, second_onwards) *
            FROM (SELECT * FROM direct UNION ALL SELECT * FROM via_middle) AS walk
            ORDER BY place, middle, relation_type, onwards, second_type, second_onwards, strength DESC,
                first_id, second_id
        ) AS claim
        ORDER BY (middle IS NOT NULL), strength *
            -- include layer_weight
            * (CASE WHEN second_type IS NULL OR second_type = ANY(%(claim_types)s::text[]) THEN 1 ELSE %(statement_weight)s::real END)
            DESC, first_id, second_id LIMIT (SELECT %(limit)s::int)
    ) AS ordered
), told AS MATERIALIZED (
    SELECT
        edge.id, edge.from_node_id, edge.to_node_id, edge.relation_type, edge.weight, edge.confidence, edge.status,
        edge.valid_from, edge.invalidated_at, edge.ends_at, edge.metadata ->> 'quote' AS quote,
        edge.metadata ->> 'charStart' AS quote_start, edge.metadata ->> 'charEnd' AS quote_end,
        chunk.id AS chunk_id, chunk.document_id, document.title, chunk.char_start, chunk.char_end, coalesce(chunk.places, to_jsonb(chunk.place)) AS places
    FROM (SELECT first_id AS id FROM best UNION SELECT second_id FROM best) AS step
    JOIN graph_edge AS edge
        ON edge.knowledge_space_id = %(space_id)s AND edge.id = step.id
    LEFT JOIN knowledge_chunk AS chunk
        ON chunk.knowledge_space_id = %(space_id)s AND chunk.id = edge.evidence_chunk_id
    LEFT JOIN document
        ON document.knowledge_space_id = %(space_id)s AND document.id = chunk.document_id
)
-- The edges, their paths and their ends: shared ones are read and sent once.
SELECT NULL::bigint, NULL::bigint, NULL::uuid, NULL::uuid, told.*,
    NULL::uuid, NULL::text, NULL::text, NULL::text, NULL::int, NULL::int, NULL::int, NULL::real,
    NULL::text, NULL::timestamptz, NULL::timestamptz
FROM told
UNION ALL
SELECT path, place, first_id, second_id, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
    NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM best
UNION ALL
SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
    node.id, node.canonical_name, node.node_type, node.metadata::text, node.mention_count, node.out_degree, node.in_degree,
    node.confidence, node.source, node.first_seen_at, node.last_seen_at
FROM (SELECT from_node_id AS id FROM told UNION SELECT to_node_id FROM told) AS ends
JOIN graph_node AS node
    ON node.knowledge_space_id = %(space_id)s AND node.id = ends.id
