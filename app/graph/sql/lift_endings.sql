-- lift_endings: undo these ledger rows and restore their edges; return each edge with its claim.
WITH lifted AS (
    UPDATE edge_invalidation SET undone_at = now(), undone_by = %(undone_by)s, undone_kind = %(undone_kind)s
    WHERE knowledge_space_id = %(space_id)s AND id = ANY(%(ids)s::uuid[]) AND undone_at IS NULL
    RETURNING edge_id
)
UPDATE graph_edge SET invalidated_at = NULL, ends_at = NULL FROM lifted
WHERE graph_edge.knowledge_space_id = %(space_id)s AND graph_edge.id = lifted.edge_id
RETURNING graph_edge.id, graph_edge.from_node_id, graph_edge.relation_type, graph_edge.to_node_id
