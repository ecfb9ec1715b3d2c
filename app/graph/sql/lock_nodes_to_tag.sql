-- lock_nodes_to_tag: lock these nodes until the transaction ends, so that only one transaction sets their tags.
SELECT id FROM graph_node
WHERE knowledge_space_id = %(space_id)s AND id = ANY(%(nodes)s::uuid[])
ORDER BY id FOR NO KEY UPDATE
