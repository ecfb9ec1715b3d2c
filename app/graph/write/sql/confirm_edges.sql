-- confirm_edges: confirm the claims of these rows that two documents state, in all their rows.
-- A pair is looked up as a row behind a fence, so that only the index of pairs is used, whatever the statistics.
WITH claim AS MATERIALIZED (
    SELECT DISTINCT from_node_id, to_node_id, relation_type, polarity FROM graph_edge
    WHERE knowledge_space_id = %(space_id)s AND extraction_key = ANY(%(keys)s::uuid[]) AND status = 'staged'
), agreed AS MATERIALIZED (
    -- These claims were not confirmed before, so they have few rows, from one document at most.
    SELECT unnest(stated.staged) AS id FROM claim
    CROSS JOIN LATERAL (
        SELECT count(DISTINCT c.document_id) AS documents, array_agg(e.id) FILTER (WHERE e.status = 'staged') AS staged
        FROM (
            SELECT id, relation_type, polarity, evidence_chunk_id, deleted_at, status FROM graph_edge
            WHERE knowledge_space_id = %(space_id)s
              AND (from_node_id, to_node_id) >= (claim.from_node_id, claim.to_node_id)
              AND (from_node_id, to_node_id) <= (claim.from_node_id, claim.to_node_id)
            OFFSET 0
        ) AS e
        LEFT JOIN LATERAL (
            SELECT document_id FROM knowledge_chunk
            WHERE knowledge_space_id = %(space_id)s AND id = e.evidence_chunk_id AND e.deleted_at IS NULL LIMIT 1
        ) AS c ON true
        WHERE e.relation_type = claim.relation_type AND e.polarity = claim.polarity
    ) AS stated
    WHERE stated.documents > 1
)
UPDATE graph_edge SET status = 'confirmed'
FROM agreed
WHERE graph_edge.knowledge_space_id = %(space_id)s AND graph_edge.id = agreed.id
