-- insert_edges: edges with their evidence, each once; one whose evidence was gone gets it back with its quote. Counts degrees.
-- A claim that is confirmed already is so in its new rows too: written once, not written and updated.
-- Returns how many are new, the keys of those that are there, ended, and rest on another document than given, and of
-- those that got their evidence back [key, id, from, to].
WITH given AS (
    SELECT * FROM unnest(%(ids)s::uuid[], %(from_nodes)s::uuid[], %(to_nodes)s::uuid[], %(relations)s::text[],
        %(weights)s::real[], %(chunks)s::uuid[], %(metadata)s::text[], %(keys)s::uuid[], %(documents)s::uuid[],
        %(polarities)s::text[], %(begins)s::timestamptz[], %(begin_precisions)s::text[], %(bases)s::text[],
        %(ends)s::timestamptz[], %(end_precisions)s::text[])
        AS t(id, from_node, to_node, relation, weight, chunk, metadata, key, document, polarity, begins,
            begin_precision, basis, ends, end_precision)
), inserted AS (
    INSERT INTO graph_edge AS e (knowledge_space_id, id, from_node_id, to_node_id, relation_type, weight,
        evidence_chunk_id, metadata, extraction_key, polarity, valid_from, valid_from_precision, valid_from_basis,
        valid_to, valid_to_precision, invalidated_at, status)
    SELECT here.knowledge_space_id, t.id, t.from_node, t.to_node, t.relation, t.weight, t.chunk, t.metadata::jsonb, t.key,
        t.polarity, t.begins, t.begin_precision, t.basis, t.ends, t.end_precision,
        -- A denial is a fact for nobody: it counts as ended before anything began.
        CASE WHEN t.polarity = 'denied' THEN '0001-01-02 00:00:00+00'::timestamptz END,
        CASE WHEN EXISTS (
            SELECT 1 FROM (
                SELECT relation_type, polarity, status, deleted_at FROM graph_edge
                WHERE knowledge_space_id = %(space_id)s AND (from_node_id, to_node_id) >= (t.from_node, t.to_node)
                  AND (from_node_id, to_node_id) <= (t.from_node, t.to_node)
                OFFSET 0  -- See confirm_edges.
            ) AS o
            WHERE o.relation_type = t.relation AND o.polarity = t.polarity AND o.status = 'confirmed'
              AND o.deleted_at IS NULL
        ) THEN 'confirmed' ELSE 'staged' END
    FROM given t
    JOIN space_anchor AS here ON here.knowledge_space_id = %(space_id)s
    ON CONFLICT (knowledge_space_id, extraction_key) DO UPDATE SET
        evidence_chunk_id = excluded.evidence_chunk_id, metadata = excluded.metadata,
        valid_from = excluded.valid_from, valid_from_precision = excluded.valid_from_precision,
        valid_from_basis = excluded.valid_from_basis, valid_to = excluded.valid_to,
        valid_to_precision = excluded.valid_to_precision
    WHERE e.evidence_chunk_id IS NULL
    RETURNING e.extraction_key, e.id, e.from_node_id, e.to_node_id, (e.xmax = 0) AS fresh
), degree AS (
    SELECT node_id, sum(leaving) AS leaving, sum(entering) AS entering FROM (
        SELECT from_node_id AS node_id, 1 AS leaving, 0 AS entering FROM inserted WHERE fresh
        UNION ALL SELECT to_node_id, 0, 1 FROM inserted WHERE fresh
    ) AS ends GROUP BY node_id
), counted AS (
    UPDATE graph_node SET out_degree = out_degree + degree.leaving, in_degree = in_degree + degree.entering
    FROM degree WHERE graph_node.knowledge_space_id = %(space_id)s AND graph_node.id = degree.node_id
), restated AS (
    -- Where nothing was ended no row is looked at.
    SELECT given.key FROM given
    JOIN graph_edge old ON old.knowledge_space_id = %(space_id)s AND old.extraction_key = given.key
    JOIN knowledge_chunk c ON c.knowledge_space_id = %(space_id)s AND c.id = old.evidence_chunk_id
    WHERE NOT edge_holds(old.deleted_at, old.invalidated_at) AND old.polarity = 'asserted' AND c.document_id <> given.document AND EXISTS (
        SELECT 1 FROM edge_invalidation x WHERE x.knowledge_space_id = %(space_id)s AND x.undone_at IS NULL
    )
)
SELECT (SELECT count(*) FROM inserted WHERE fresh), ARRAY(SELECT key FROM restated ORDER BY key),
    ARRAY(SELECT ARRAY[extraction_key, id, from_node_id, to_node_id] FROM inserted WHERE NOT fresh ORDER BY extraction_key)
