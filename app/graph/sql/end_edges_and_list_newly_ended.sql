-- end_edges_and_list_newly_ended: end these edges, each with a ledger row; return the edges that had not ended before.
INSERT INTO edge_invalidation AS x (knowledge_space_id, id, decision_id, edge_id, kind, decided_by, reason, invalidated_at,
    claim_dated_at, source_edge_id, source_chunk_id, document_id, graph_revision)
SELECT standing.knowledge_space_id, given.id, given.decision_id, given.edge_id, %(kind)s, %(decided_by)s, %(reason)s, given.ends,
    given.claim_dated_at, given.source_edge_id, given.source_chunk_id, given.document_id,
    %(graph_revision)s::bigint
FROM unnest(%(ids)s::uuid[], %(decisions)s::uuid[], %(edges)s::uuid[], %(ends)s::timestamptz[],
    %(dates)s::timestamptz[], %(source_edges)s::uuid[], %(source_chunks)s::uuid[], %(documents)s::uuid[])
    AS given(id, decision_id, edge_id, ends, claim_dated_at, source_edge_id, source_chunk_id, document_id)
JOIN graph_edge AS standing ON standing.knowledge_space_id = %(space_id)s AND standing.id = given.edge_id
    AND edge_holds(standing.deleted_at, standing.invalidated_at)
ORDER BY given.id;
UPDATE graph_edge SET invalidated_at = x.invalidated_at, ends_at = NULL FROM edge_invalidation AS x
WHERE graph_edge.knowledge_space_id = %(space_id)s AND x.knowledge_space_id = %(space_id)s
  AND x.id = ANY(%(ids)s::uuid[]) AND graph_edge.id = x.edge_id
RETURNING graph_edge.id
