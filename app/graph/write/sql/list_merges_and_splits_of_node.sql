-- list_merges_and_splits_of_node: the newest merges into a node and splits that involve it, with the name of the other node.
SELECT kind, id, name, reason, decided_by, created_at, undone_at, undone_by FROM (
    (SELECT 'merge' AS kind, m.id, m.loser_name AS name, m.reason, m.decided_by, m.created_at, m.undone_at, m.undone_by
    FROM node_merge m
    WHERE m.knowledge_space_id = %(space_id)s AND m.winner_node_id = %(node)s
    ORDER BY m.id DESC LIMIT %(limit)s)
    UNION ALL
    (SELECT 'split', s.id, other.canonical_name, s.reason, s.decided_by, s.created_at, s.undone_at, s.undone_by
    FROM node_split s
    LEFT JOIN graph_node other ON other.knowledge_space_id = %(space_id)s
        AND other.id = CASE WHEN s.node_id = %(node)s THEN s.new_node_id ELSE s.node_id END
    WHERE s.knowledge_space_id = %(space_id)s AND %(node)s IN (s.node_id, s.new_node_id)
    ORDER BY s.id DESC LIMIT %(limit)s)
) AS change
ORDER BY id DESC LIMIT %(limit)s
