-- count_changes: how many edges were noted as changed, and how many nodes as hidden or shown.
SELECT coalesce(sum(cardinality(added)), 0)::bigint + count(edge_id), count(node_id)
FROM edge_change WHERE knowledge_space_id = %(space_id)s
