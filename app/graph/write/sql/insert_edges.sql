-- insert_edges: insert edges with their evidence, each once; an edge that had lost its evidence gets it back with its quote.
-- The new rows of a claim that is already confirmed are confirmed too, without a second write. Returns key, id and
-- ends of each row written, and whether it is new.
INSERT INTO graph_edge AS e (knowledge_space_id, id, from_node_id, to_node_id, relation_type, weight,
    evidence_chunk_id, metadata, extraction_key, polarity, valid_from, valid_from_precision, valid_from_basis,
    valid_to, valid_to_precision, invalidated_at, status)
SELECT here.knowledge_space_id, t.id, t.from_node, t.to_node, t.relation, t.weight, t.chunk, t.metadata::jsonb, t.key,
    t.polarity, t.begins, t.begin_precision, t.basis, t.ends, t.end_precision,
    -- A denial or a report is not a fact: it counts as ended before any date.
    CASE WHEN t.polarity = 'denied' THEN '0001-01-02 00:00:00+00'::timestamptz WHEN t.polarity = 'reported' THEN '0001-01-03 00:00:00+00'::timestamptz END,
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
FROM unnest(%(ids)s::uuid[], %(from_nodes)s::uuid[], %(to_nodes)s::uuid[], %(relations)s::text[],
    %(weights)s::real[], %(chunks)s::uuid[], %(metadata)s::text[], %(keys)s::uuid[],
    %(polarities)s::text[], %(begins)s::timestamptz[], %(begin_precisions)s::text[], %(bases)s::text[],
    %(ends)s::timestamptz[], %(end_precisions)s::text[])
    AS t(id, from_node, to_node, relation, weight, chunk, metadata, key, polarity, begins,
        begin_precision, basis, ends, end_precision)
JOIN space_anchor AS here ON here.knowledge_space_id = %(space_id)s
ON CONFLICT (knowledge_space_id, extraction_key) DO UPDATE SET
    evidence_chunk_id = excluded.evidence_chunk_id, metadata = excluded.metadata,
    valid_from = excluded.valid_from, valid_from_precision = excluded.valid_from_precision,
    valid_from_basis = excluded.valid_from_basis, valid_to = excluded.valid_to,
    valid_to_precision = excluded.valid_to_precision
WHERE e.evidence_chunk_id IS NULL
RETURNING e.extraction_key, e.id, e.from_node_id, e.to_node_id, (e.xmax = 0) AS fresh
