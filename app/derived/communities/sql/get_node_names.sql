-- get_node_names: the names of these nodes, in their order; null for a deleted one.
SELECT array_agg(node.canonical_name ORDER BY wanted.place)
FROM unnest(%(ids)s::uuid[]) WITH ORDINALITY AS wanted(id, place)
LEFT JOIN graph_node AS node ON node.knowledge_space_id = %(space_id)s AND node.id = wanted.id
