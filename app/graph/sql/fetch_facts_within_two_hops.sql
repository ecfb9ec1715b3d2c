-- fetch_facts_within_two_hops: the strongest facts within two hops of the anchors that pass the filters, each with the step before it.
-- Each hop takes the `fan_out` strongest edges per node and direction in index order, without a sort; from the
-- anchors also edges whose relation the question names (`hints`), among the `hint_scan` strongest. The worth of a
-- fact is its weight (of a statement a part of it), times half that of the step before it, plus one for each step
-- with a hinted relation.
WITH anchor AS MATERIALIZED (
    SELECT DISTINCT id FROM unnest((SELECT %(anchors)s::uuid[])) AS given (id)
), first_hop AS MATERIALIZED (
    SELECT edge.id, edge.reached, counted.strength,
        counted.strength + (edge.relation_type = ANY(%(hints)s::text[]))::int AS worth
    FROM anchor CROSS JOIN LATERAL (
        (SELECT id, to_node_id AS reached, relation_type, weight
         FROM graph_edge
         WHERE knowledge_space_id = %(space_id)s AND from_node_id = anchor.id
           AND deleted_at IS NULL
               -- include edge_passes
               -- include target_passes
         ORDER BY weight DESC LIMIT (SELECT %(fan_out)s::int))
        UNION ALL
        (SELECT id, from_node_id AS reached, relation_type, weight
         FROM graph_edge
         WHERE knowledge_space_id = %(space_id)s AND to_node_id = anchor.id
           AND deleted_at IS NULL
               -- include edge_passes
               -- include source_passes
         ORDER BY weight DESC LIMIT (SELECT %(fan_out)s::int))
        UNION ALL
        (SELECT id, reached, relation_type, weight
         FROM (SELECT id, to_node_id AS reached, relation_type, weight
               FROM graph_edge
               WHERE knowledge_space_id = %(space_id)s AND from_node_id = anchor.id
                 AND deleted_at IS NULL
               -- include edge_passes
               -- include target_passes
                 AND (SELECT cardinality(%(hints)s::text[]) > 0)
               ORDER BY weight DESC LIMIT (SELECT %(hint_scan)s::int)) AS strongest
         WHERE relation_type = ANY(%(hints)s::text[])
         ORDER BY weight DESC LIMIT (SELECT %(fan_out)s::int))
        UNION ALL
        (SELECT id, reached, relation_type, weight
         FROM (SELECT id, from_node_id AS reached, relation_type, weight
               FROM graph_edge
               WHERE knowledge_space_id = %(space_id)s AND to_node_id = anchor.id
                 AND deleted_at IS NULL
               -- include edge_passes
               -- include source_passes
                 AND (SELECT cardinality(%(hints)s::text[]) > 0)
               ORDER BY weight DESC LIMIT (SELECT %(hint_scan)s::int)) AS strongest
         WHERE relation_type = ANY(%(hints)s::text[])
         ORDER BY weight DESC LIMIT (SELECT %(fan_out)s::int))
    ) AS edge
    CROSS JOIN LATERAL (SELECT edge.weight *
        -- include layer_weight
        AS strength) AS counted
), frontier AS MATERIALIZED (
    SELECT DISTINCT ON (reached) reached AS id, first_hop.id AS via, strength, worth
    FROM first_hop
    WHERE (SELECT %(max_hops)s::int > 1) AND reached <> ALL((SELECT %(anchors)s::uuid[])::uuid[])
    ORDER BY reached, worth DESC, first_hop.id
), second_hop AS (
    SELECT edge.id, frontier.via,
        edge.weight * frontier.strength / 2 *
            -- include layer_weight
            + (edge.relation_type = ANY(%(hints)s::text[]))::int
            + floor(frontier.worth - frontier.strength + 0.5) AS worth
    FROM frontier CROSS JOIN LATERAL (
        (SELECT id, to_node_id AS reached, relation_type, weight
         FROM graph_edge
         WHERE knowledge_space_id = %(space_id)s AND from_node_id = frontier.id
           AND deleted_at IS NULL
               -- include edge_passes
               -- include target_passes
         ORDER BY weight DESC LIMIT (SELECT %(fan_out)s::int))
        UNION ALL
        (SELECT id, from_node_id AS reached, relation_type, weight
         FROM graph_edge
         WHERE knowledge_space_id = %(space_id)s AND to_node_id = frontier.id
           AND deleted_at IS NULL
               -- include edge_passes
               -- include source_passes
         ORDER BY weight DESC LIMIT (SELECT %(fan_out)s::int))
    ) AS edge
), strongest AS (
    -- More rows than the limit, because an edge may be reached in several ways.
    SELECT * FROM (
        SELECT id, NULL::uuid AS via, worth, 1 AS hop FROM first_hop
        UNION ALL
        SELECT id, via, worth, 2 FROM second_hop WHERE id <> via
    ) AS reached_edge
    ORDER BY worth DESC, id LIMIT (SELECT 4 * %(limit)s::int)
), fact AS MATERIALIZED (
    SELECT * FROM (
        SELECT DISTINCT ON (id) id, via, worth, hop FROM strongest ORDER BY id, hop, worth DESC
    ) AS once
    ORDER BY worth DESC, id LIMIT (SELECT %(limit)s::int)
), step AS MATERIALIZED (
    SELECT id, via, worth, hop FROM fact
    UNION ALL
    -- Include the steps that lead to the facts, so that every fact has a path.
    SELECT DISTINCT via, NULL::uuid, 0::double precision, 1 FROM fact
    WHERE via IS NOT NULL AND NOT EXISTS (SELECT FROM fact AS other WHERE other.id = fact.via)
), told AS MATERIALIZED (
    SELECT step.hop, step.via, step.worth,
        edge.id, edge.from_node_id, edge.to_node_id, edge.relation_type, edge.weight, edge.confidence, edge.status,
        edge.valid_from, edge.invalidated_at, edge.ends_at, edge.metadata ->> 'quote' AS quote,
        edge.metadata ->> 'charStart' AS quote_start, edge.metadata ->> 'charEnd' AS quote_end,
        chunk.id AS chunk_id, chunk.document_id, document.title, chunk.char_start, chunk.char_end, coalesce(chunk.places, to_jsonb(chunk.place)) AS places
    FROM step
    JOIN graph_edge AS edge
        ON edge.knowledge_space_id = %(space_id)s AND edge.id = step.id
    LEFT JOIN knowledge_chunk AS chunk
        ON chunk.knowledge_space_id = %(space_id)s AND chunk.id = edge.evidence_chunk_id
    LEFT JOIN document
        ON document.knowledge_space_id = %(space_id)s AND document.id = chunk.document_id
)
-- Edges first, then their distinct ends: a node of many edges is read and sent once.
SELECT told.*, NULL::uuid, NULL::text, NULL::text, NULL::text, NULL::int, NULL::int, NULL::int, NULL::real,
    NULL::text, NULL::timestamptz, NULL::timestamptz
FROM told
UNION ALL
SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
    node.id, node.canonical_name, node.node_type, node.metadata::text, node.mention_count, node.out_degree, node.in_degree,
    node.confidence, node.source, node.first_seen_at, node.last_seen_at
FROM (SELECT from_node_id AS id FROM told UNION SELECT to_node_id FROM told) AS ends
JOIN graph_node AS node
    ON node.knowledge_space_id = %(space_id)s AND node.id = ends.id
