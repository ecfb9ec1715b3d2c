-- endings: the next decisions of the space that ended a claim, in their order.
SELECT
    id, decision_id, edge_id, kind, decided_by, reason, invalidated_at, claim_dated_at, source_edge_id,
    source_chunk_id, document_id, undone_at, undone_by, undone_kind, created_at
FROM edge_invalidation
WHERE knowledge_space_id = %(space_id)s AND id > %(id)s
ORDER BY id
LIMIT %(limit)s
