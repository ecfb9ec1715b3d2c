-- insert_edges: insert imported edges; return the ids of those without a key conflict. Denials and reports never hold.
INSERT INTO graph_edge AS written (knowledge_space_id, id, from_node_id, to_node_id, relation_type, weight, status, polarity,
    evidence_chunk_id, metadata, extraction_key, valid_from, valid_from_precision, valid_from_basis, valid_to,
    valid_to_precision, invalidated_at, created_at)
SELECT here.knowledge_space_id, t.id, t.from_node_id, t.to_node_id, t.relation_type, t.weight, t.status, t.polarity,
    t.evidence_chunk_id, t.metadata, t.extraction_key, t.valid_from, t.valid_from_precision, t.valid_from_basis,
    t.valid_to, t.valid_to_precision,
    CASE WHEN t.polarity = 'denied' THEN '0001-01-02 00:00:00+00'::timestamptz WHEN t.polarity = 'reported' THEN '0001-01-03 00:00:00+00'::timestamptz ELSE t.invalidated_at END,
    t.created_at
FROM jsonb_to_recordset(%(rows)s::jsonb) AS t(id uuid, from_node_id uuid, to_node_id uuid, relation_type text,
    weight real, status text, polarity text, evidence_chunk_id uuid, metadata jsonb, extraction_key uuid,
    valid_from timestamptz, valid_from_precision text, valid_from_basis text, valid_to timestamptz,
    valid_to_precision text, invalidated_at timestamptz, created_at timestamptz)
JOIN space_anchor AS here ON here.knowledge_space_id = %(space_id)s
ON CONFLICT DO NOTHING
RETURNING written.id
