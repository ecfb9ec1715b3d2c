-- recount_supporting_documents: set claims that a merge, now undone, had confirmed to confirmed if two documents state them, else to staged.
WITH claim AS MATERIALIZED (
    SELECT DISTINCT from_node_id, to_node_id, relation_type, polarity FROM graph_edge
    WHERE knowledge_space_id = %(space_id)s AND id = ANY(%(edges)s::uuid[])
), stated AS MATERIALIZED (
    SELECT claim.*, every.documents FROM claim
    CROSS JOIN LATERAL (
        SELECT count(DISTINCT c.document_id) AS documents
        FROM graph_edge e
        JOIN knowledge_chunk c ON c.knowledge_space_id = %(space_id)s AND c.id = e.evidence_chunk_id
        WHERE e.knowledge_space_id = %(space_id)s AND e.from_node_id = claim.from_node_id
          AND e.to_node_id = claim.to_node_id AND e.relation_type = claim.relation_type AND e.polarity = claim.polarity AND e.deleted_at IS NULL
    ) AS every
)
UPDATE graph_edge SET status = CASE WHEN stated.documents > 1 THEN 'confirmed' ELSE 'staged' END
FROM stated
WHERE graph_edge.knowledge_space_id = %(space_id)s AND graph_edge.from_node_id = stated.from_node_id
  AND graph_edge.to_node_id = stated.to_node_id AND graph_edge.relation_type = stated.relation_type AND graph_edge.polarity = stated.polarity
  AND graph_edge.status <> CASE WHEN stated.documents > 1 THEN 'confirmed' ELSE 'staged' END
