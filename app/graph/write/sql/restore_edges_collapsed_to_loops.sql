-- restore_edges_collapsed_to_loops: restore edges between two nodes that were merged, if their chunk, or one with the same text, exists.
-- The ledger of ended claims says whether one has ended, because that may have been undone meanwhile.
INSERT INTO graph_edge (knowledge_space_id, id, from_node_id, to_node_id, relation_type, weight, evidence_chunk_id,
    status, metadata, extraction_key, created_at, polarity, valid_from, valid_from_precision, valid_from_basis, valid_to,
    valid_to_precision, invalidated_at, deleted_at, access_count, last_accessed_at)
SELECT here.knowledge_space_id, t.id, t.from_node_id, t.to_node_id, t.relation_type, t.weight, passage.id, t.status,
    CASE WHEN passage.id IS NULL THEN t.metadata ELSE t.metadata || jsonb_build_object('quote',
        substr(passage.text, (t.metadata ->> 'charStart')::int + 1,
            (t.metadata ->> 'charEnd')::int - (t.metadata ->> 'charStart')::int)) END,
    t.extraction_key, t.created_at, coalesce(t.polarity, 'asserted'), t.valid_from, t.valid_from_precision,
    t.valid_from_basis, t.valid_to, t.valid_to_precision,
    CASE WHEN t.polarity = 'denied' THEN '0001-01-02 00:00:00+00'::timestamptz WHEN t.polarity = 'reported' THEN '0001-01-03 00:00:00+00'::timestamptz ELSE (
        SELECT ending.invalidated_at FROM edge_invalidation ending
        WHERE ending.knowledge_space_id = %(space_id)s AND ending.edge_id = t.id AND ending.undone_at IS NULL
    ) END, t.deleted_at, t.access_count, t.last_accessed_at
FROM jsonb_to_recordset(%(loops)s::jsonb) AS t(id uuid, from_node_id uuid, to_node_id uuid, relation_type text,
    weight real, evidence_chunk_id uuid, status text, metadata jsonb, extraction_key uuid, created_at timestamptz,
    polarity text, valid_from timestamptz, valid_from_precision text, valid_from_basis text, valid_to timestamptz,
    valid_to_precision text, deleted_at timestamptz, access_count int,
    last_accessed_at timestamptz, content_hash text)
LEFT JOIN LATERAL (
    SELECT c.id, c.text FROM knowledge_chunk c
    WHERE c.knowledge_space_id = %(space_id)s AND c.content_hash = t.content_hash
    ORDER BY c.id = t.evidence_chunk_id DESC, c.id LIMIT 1
) AS passage ON true
JOIN space_anchor AS here ON here.knowledge_space_id = %(space_id)s
WHERE t.content_hash IS NULL OR passage.id IS NOT NULL
ON CONFLICT (knowledge_space_id, extraction_key) DO NOTHING
