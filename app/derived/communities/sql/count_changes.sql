-- count_changes: how many edges were noted as changed.
SELECT coalesce(sum(cardinality(added)), 0)::bigint + count(edge_id)
FROM edge_change WHERE knowledge_space_id = %(space_id)s
