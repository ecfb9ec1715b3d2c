-- insert_endings: insert the ledger of ended claims; return the ids of those without a key conflict.
INSERT INTO edge_invalidation AS written (knowledge_space_id, id, decision_id, edge_id, kind, decided_by, reason, invalidated_at,
    claim_dated_at, source_edge_id, source_chunk_id, document_id, undone_at, undone_by, undone_kind, created_at,
    graph_revision)
SELECT here.knowledge_space_id, t.id, t.decision_id, t.edge_id, t.ended_by, t.decided_by, t.reason, t.invalidated_at,
    t.claim_dated_at, t.source_edge_id, t.source_chunk_id, t.document_id, t.undone_at, t.undone_by, t.undone_kind,
    t.created_at, %(graph_revision)s::bigint
FROM jsonb_to_recordset(%(rows)s::jsonb) AS t(id uuid, decision_id uuid, edge_id uuid, ended_by text,
    decided_by text, reason text, invalidated_at timestamptz, claim_dated_at timestamptz, source_edge_id uuid,
    source_chunk_id uuid, document_id uuid, undone_at timestamptz, undone_by text, undone_kind text,
    created_at timestamptz)
JOIN space_anchor AS here ON here.knowledge_space_id = %(space_id)s
ON CONFLICT DO NOTHING
RETURNING written.id
