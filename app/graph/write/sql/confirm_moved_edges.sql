-- confirm_moved_edges: confirm claims that two documents state through these edges, whose ends were merged; return the confirmed edges.
WITH claim AS MATERIALIZED (
    SELECT DISTINCT from_node_id, to_node_id, relation_type, polarity FROM graph_edge
    WHERE knowledge_space_id = %(space_id)s AND id = ANY(%(edges)s::uuid[])
), agreed AS MATERIALIZED (
    SELECT claim.* FROM claim
    CROSS JOIN LATERAL (
        SELECT count(DISTINCT c.document_id) AS documents, bool_or(e.status = 'confirmed') AS before
        FROM graph_edge e
        LEFT JOIN knowledge_chunk c ON c.knowledge_space_id = %(space_id)s AND c.id = e.evidence_chunk_id
        WHERE e.knowledge_space_id = %(space_id)s AND e.from_node_id = claim.from_node_id
          AND e.to_node_id = claim.to_node_id AND e.relation_type = claim.relation_type AND e.polarity = claim.polarity AND e.deleted_at IS NULL
    ) AS stated
    WHERE stated.documents > 1 OR stated.before
)
UPDATE graph_edge SET status = 'confirmed'
FROM agreed
WHERE graph_edge.knowledge_space_id = %(space_id)s AND graph_edge.from_node_id = agreed.from_node_id
  AND graph_edge.to_node_id = agreed.to_node_id AND graph_edge.relation_type = agreed.relation_type AND graph_edge.polarity = agreed.polarity
  AND graph_edge.status = 'staged'
RETURNING graph_edge.id, graph_edge.from_node_id, graph_edge.to_node_id
