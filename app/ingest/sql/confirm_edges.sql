-- confirm_edges: claims that two documents state are confirmed, in all their rows.
WITH touched AS (
    SELECT DISTINCT from_node, to_node, relation
    FROM unnest(%(from_nodes)s::uuid[], %(to_nodes)s::uuid[], %(relations)s::text[]) AS t(from_node, to_node, relation)
), agreed AS (
    SELECT t.from_node, t.to_node, t.relation
    FROM touched t
    JOIN graph_edge e ON e.knowledge_space_id = %(space_id)s AND e.from_node_id = t.from_node
        AND e.to_node_id = t.to_node AND e.relation_type = t.relation AND e.deleted_at IS NULL
    JOIN knowledge_chunk c ON c.knowledge_space_id = %(space_id)s AND c.id = e.evidence_chunk_id
    GROUP BY t.from_node, t.to_node, t.relation
    HAVING count(DISTINCT c.document_id) > 1
)
UPDATE graph_edge SET status = 'confirmed'
FROM agreed
WHERE graph_edge.knowledge_space_id = %(space_id)s AND graph_edge.from_node_id = agreed.from_node
  AND graph_edge.to_node_id = agreed.to_node AND graph_edge.relation_type = agreed.relation
  AND graph_edge.status = 'staged'
