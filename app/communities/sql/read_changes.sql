-- read_changes: what happened to edges since the run before, in the order in which it did.
SELECT id, added, edge_id, from_node_id, to_node_id, weight, hashtext(relation_type)
FROM edge_change WHERE knowledge_space_id = %(space_id)s
ORDER BY revision, noted_at, id
