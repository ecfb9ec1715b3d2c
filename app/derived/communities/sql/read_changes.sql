-- read_changes: the changes of edges since the previous run, in their order.
-- No run reads an address: one that changed did not stand before, as if it had been added.
SELECT id,
    CASE WHEN relation_type = ANY(%(addresses)s::text[]) THEN added || edge_id ELSE added END,
    CASE WHEN relation_type <> ALL(%(addresses)s::text[]) THEN edge_id END,
    from_node_id, to_node_id, weight, hashtext(relation_type)
FROM edge_change WHERE knowledge_space_id = %(space_id)s
ORDER BY revision, noted_at, id
