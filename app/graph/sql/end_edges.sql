-- end_edges: end these edges, each by a row of the ledger; the edges that were not ended before.
WITH given AS (
    SELECT * FROM unnest(%(ids)s::uuid[], %(decisions)s::uuid[], %(edges)s::uuid[], %(ends)s::timestamptz[],
        %(dates)s::timestamptz[], %(source_edges)s::uuid[], %(source_chunks)s::uuid[], %(documents)s::uuid[])
        AS t(id, decision_id, edge_id, ends, claim_dated_at, source_edge_id, source_chunk_id, document_id)
), ended AS (
    UPDATE graph_edge SET invalidated_at = given.ends FROM given
    WHERE graph_edge.knowledge_space_id = %(space_id)s AND graph_edge.id = given.edge_id
      AND edge_holds(graph_edge.deleted_at, graph_edge.invalidated_at)
    RETURNING graph_edge.knowledge_space_id, graph_edge.id
)
INSERT INTO edge_invalidation AS x (knowledge_space_id, id, decision_id, edge_id, kind, decided_by, reason, invalidated_at,
    claim_dated_at, source_edge_id, source_chunk_id, document_id, graph_revision)
SELECT ended.knowledge_space_id, given.id, given.decision_id, given.edge_id, %(kind)s, %(decided_by)s, %(reason)s, given.ends,
    given.claim_dated_at, given.source_edge_id, given.source_chunk_id, given.document_id,
    %(graph_revision)s::bigint
FROM given JOIN ended ON ended.id = given.edge_id
ORDER BY given.id
RETURNING x.edge_id
