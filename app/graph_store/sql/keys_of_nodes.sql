-- keys_of_nodes: every key of spelling of these nodes.
SELECT node_id, key FROM node_name_key
WHERE knowledge_space_id = %(space_id)s AND node_id = ANY(%(nodes)s::uuid[])
ORDER BY node_id, key
