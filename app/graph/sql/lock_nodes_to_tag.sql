-- lock_nodes_to_tag: hold these nodes until the transaction ends, so that their tags are set by one at a time.
SELECT id FROM graph_node
WHERE knowledge_space_id = %(space_id)s AND id = ANY(%(nodes)s::uuid[])
ORDER BY id FOR NO KEY UPDATE
