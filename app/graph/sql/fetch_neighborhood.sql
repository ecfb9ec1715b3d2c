-- fetch_neighborhood: the nodes within a depth of the given ones, and the strongest of all edges among them.
-- One extra node shows that nodes were cut off, one extra edge that edges were. Tests of the form `(x IN (SELECT …))
-- IS TRUE` are hashed: as joins they would be nested loops over a set of unknown size.
WITH hop_0 AS MATERIALIZED (
    SELECT id, 1::real AS weight FROM graph_node
    WHERE knowledge_space_id = %(space_id)s AND id = ANY(%(seeds)s::uuid[])
), hop_1 AS MATERIALIZED (
    SELECT edge.id, max(edge.weight) AS weight
    FROM hop_0 CROSS JOIN LATERAL (
        (SELECT to_node_id AS id, weight
         FROM graph_edge
         WHERE knowledge_space_id = %(space_id)s AND from_node_id = hop_0.id
           AND %(depth)s::int >= 1 AND %(direction)s::text IN ('both', 'outgoing')
           AND deleted_at IS NULL
           -- include edge_passes
           -- include target_passes
         ORDER BY weight DESC LIMIT %(per_node)s)
        UNION ALL
        (SELECT from_node_id AS id, weight
         FROM graph_edge
         WHERE knowledge_space_id = %(space_id)s AND to_node_id = hop_0.id
           AND %(depth)s::int >= 1 AND %(direction)s::text IN ('both', 'incoming')
           AND deleted_at IS NULL
           -- include edge_passes
           -- include source_passes
         ORDER BY weight DESC LIMIT %(per_node)s)
    ) AS edge
    WHERE (edge.id IN (SELECT id FROM hop_0)) IS NOT TRUE
    GROUP BY edge.id
    ORDER BY max(edge.weight) DESC, edge.id
    LIMIT (SELECT greatest(0, %(max_nodes)s + 1 - count(*)) FROM (SELECT id FROM hop_0) AS before)
), hop_2 AS MATERIALIZED (
    SELECT edge.id, max(edge.weight) AS weight
    FROM hop_1 CROSS JOIN LATERAL (
        (SELECT to_node_id AS id, weight
         FROM graph_edge
         WHERE knowledge_space_id = %(space_id)s AND from_node_id = hop_1.id
           AND %(depth)s::int >= 2 AND %(direction)s::text IN ('both', 'outgoing')
           AND deleted_at IS NULL
           -- include edge_passes
           -- include target_passes
         ORDER BY weight DESC LIMIT %(per_node)s)
        UNION ALL
        (SELECT from_node_id AS id, weight
         FROM graph_edge
         WHERE knowledge_space_id = %(space_id)s AND to_node_id = hop_1.id
           AND %(depth)s::int >= 2 AND %(direction)s::text IN ('both', 'incoming')
           AND deleted_at IS NULL
           -- include edge_passes
           -- include source_passes
         ORDER BY weight DESC LIMIT %(per_node)s)
    ) AS edge
    WHERE (edge.id IN (SELECT id FROM hop_0 UNION ALL SELECT id FROM hop_1)) IS NOT TRUE
    GROUP BY edge.id
    ORDER BY max(edge.weight) DESC, edge.id
    LIMIT (SELECT greatest(0, %(max_nodes)s + 1 - count(*)) FROM (SELECT id FROM hop_0 UNION ALL SELECT id FROM hop_1) AS before)
), hop_3 AS MATERIALIZED (
    SELECT edge.id, max(edge.weight) AS weight
    FROM hop_2 CROSS JOIN LATERAL (
        (SELECT to_node_id AS id, weight
         FROM graph_edge
         WHERE knowledge_space_id = %(space_id)s AND from_node_id = hop_2.id
           AND %(depth)s::int >= 3 AND %(direction)s::text IN ('both', 'outgoing')
           AND deleted_at IS NULL
           -- include edge_passes
           -- include target_passes
         ORDER BY weight DESC LIMIT %(per_node)s)
        UNION ALL
        (SELECT from_node_id AS id, weight
         FROM graph_edge
         WHERE knowledge_space_id = %(space_id)s AND to_node_id = hop_2.id
           AND %(depth)s::int >= 3 AND %(direction)s::text IN ('both', 'incoming')
           AND deleted_at IS NULL
           -- include edge_passes
           -- include source_passes
         ORDER BY weight DESC LIMIT %(per_node)s)
    ) AS edge
    WHERE (edge.id IN (SELECT id FROM hop_0 UNION ALL SELECT id FROM hop_1 UNION ALL SELECT id FROM hop_2)) IS NOT TRUE
    GROUP BY edge.id
    ORDER BY max(edge.weight) DESC, edge.id
    LIMIT (SELECT greatest(0, %(max_nodes)s + 1 - count(*)) FROM (SELECT id FROM hop_0 UNION ALL SELECT id FROM hop_1 UNION ALL SELECT id FROM hop_2) AS before)
), kept AS MATERIALIZED (
    SELECT node.*, reached.distance, reached.weight AS reached_weight
    FROM (
        SELECT id, 0 AS distance, weight FROM hop_0
        UNION ALL SELECT id, 1, weight FROM hop_1
        UNION ALL SELECT id, 2, weight FROM hop_2
        UNION ALL SELECT id, 3, weight FROM hop_3
    ) AS reached
    JOIN graph_node AS node
        ON node.knowledge_space_id = %(space_id)s AND node.id = reached.id
), among AS MATERIALIZED (
    -- An edge is found from its end with fewer edges, so that no hub is read entirely: from a source with few
    -- edges, else from a target with few, else by looking the pair up.
    (SELECT edge.id, edge.weight
    FROM kept CROSS JOIN LATERAL (
        SELECT id, to_node_id, weight
        FROM graph_edge
        WHERE knowledge_space_id = %(space_id)s AND from_node_id = kept.id
          AND deleted_at IS NULL
          -- include edge_passes
    ) AS edge
    WHERE kept.out_degree <= %(light)s AND (edge.to_node_id IN (SELECT id FROM kept)) IS TRUE)
    UNION ALL
    (SELECT edge.id, edge.weight
    FROM kept CROSS JOIN LATERAL (
        SELECT id, from_node_id, weight
        FROM graph_edge
        WHERE knowledge_space_id = %(space_id)s AND to_node_id = kept.id
          AND deleted_at IS NULL
          -- include edge_passes
    ) AS edge
    WHERE kept.in_degree <= %(light)s
      AND (edge.from_node_id IN (SELECT id FROM kept WHERE out_degree > %(light)s)) IS TRUE)
    UNION ALL
    (SELECT edge.id, edge.weight
    FROM kept AS source
    JOIN kept AS target ON source.out_degree > %(light)s AND target.in_degree > %(light)s
    CROSS JOIN LATERAL (
        SELECT id, weight
        FROM graph_edge
        WHERE knowledge_space_id = %(space_id)s AND from_node_id = source.id
          AND to_node_id >= target.id AND to_node_id <= target.id
          AND deleted_at IS NULL
          -- include edge_passes
        ORDER BY to_node_id LIMIT %(max_edges)s
    ) AS edge)
    ORDER BY weight DESC, id LIMIT %(max_edges)s + 1
)
SELECT NULL::int, NULL::real,
    edge.id, edge.from_node_id, edge.to_node_id, edge.relation_type, edge.weight, edge.confidence, edge.status,
    edge.valid_from, edge.invalidated_at, edge.ends_at, edge.metadata ->> 'quote', edge.metadata ->> 'charStart',
    edge.metadata ->> 'charEnd',
    chunk.id, chunk.document_id, document.title, chunk.char_start, chunk.char_end, coalesce(chunk.places, to_jsonb(chunk.place)),
    NULL::uuid, NULL::text, NULL::text, NULL::text, NULL::int, NULL::int, NULL::int, NULL::real, NULL::text,
    NULL::timestamptz, NULL::timestamptz
FROM among
JOIN graph_edge AS edge
    ON edge.knowledge_space_id = %(space_id)s AND edge.id = among.id
LEFT JOIN knowledge_chunk AS chunk
    ON chunk.knowledge_space_id = %(space_id)s AND chunk.id = edge.evidence_chunk_id
LEFT JOIN document
    ON document.knowledge_space_id = %(space_id)s AND document.id = chunk.document_id
UNION ALL
SELECT node.distance, node.reached_weight, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
    node.id, node.canonical_name, node.node_type, node.metadata::text, node.mention_count, node.out_degree, node.in_degree,
    node.confidence, node.source, node.first_seen_at, node.last_seen_at
FROM kept AS node
