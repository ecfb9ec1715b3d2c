-- list_endings: a page of the ledger of ended claims, newest first; optionally of one edge, of one decision, or only those not undone.
SELECT entry.id, entry.decision_id, entry.edge_id, entry.kind, entry.decided_by, entry.reason, entry.invalidated_at,
    entry.claim_dated_at, entry.source_edge_id, entry.source_chunk_id, entry.created_at, entry.undone_at,
    entry.undone_by, entry.undone_kind, source.canonical_name, edge.relation_type, target.canonical_name
FROM edge_invalidation AS entry
LEFT JOIN graph_edge AS edge ON edge.knowledge_space_id = %(space_id)s AND edge.id = entry.edge_id
LEFT JOIN graph_node AS source ON source.knowledge_space_id = %(space_id)s AND source.id = edge.from_node_id
LEFT JOIN graph_node AS target ON target.knowledge_space_id = %(space_id)s AND target.id = edge.to_node_id
WHERE entry.knowledge_space_id = %(space_id)s
  AND (%(edge)s::uuid IS NULL OR entry.edge_id = %(edge)s::uuid)
  AND (%(decision)s::uuid IS NULL OR entry.decision_id = %(decision)s::uuid)
  AND (NOT %(only_in_force)s::bool OR entry.undone_at IS NULL)
  AND (%(after)s::uuid IS NULL OR entry.id < %(after)s::uuid)
ORDER BY entry.id DESC
LIMIT %(limit)s
