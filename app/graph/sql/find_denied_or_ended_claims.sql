-- find_denied_or_ended_claims: those of these claims that have a row that denies them, has ended or will, whose endings are recomputed.
-- Such rows are few and have indexes: the rows of a claim that thousands of passages state are not read.
SELECT given.from_node_id, given.relation_type, given.to_node_id
FROM unnest(%(from_nodes)s::uuid[], %(relations)s::text[], %(to_nodes)s::uuid[])
    AS given (from_node_id, relation_type, to_node_id)
WHERE EXISTS (
    SELECT FROM (
        SELECT relation_type FROM graph_edge
        WHERE knowledge_space_id = %(space_id)s
          AND (from_node_id, to_node_id) >= (given.from_node_id, given.to_node_id)
          AND (from_node_id, to_node_id) <= (given.from_node_id, given.to_node_id)
          AND deleted_at IS NULL AND invalidated_at IS NOT NULL
        OFFSET 0  -- See graph_store.confirm_edges.
    ) AS edge
    WHERE edge.relation_type = given.relation_type
)
OR EXISTS (
    SELECT FROM (
        SELECT relation_type FROM graph_edge
        WHERE knowledge_space_id = %(space_id)s
          AND (from_node_id, to_node_id) >= (given.from_node_id, given.to_node_id)
          AND (from_node_id, to_node_id) <= (given.from_node_id, given.to_node_id)
          AND deleted_at IS NULL AND ends_at IS NOT NULL
        OFFSET 0
    ) AS edge
    WHERE edge.relation_type = given.relation_type
)
