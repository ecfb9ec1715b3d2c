-- names_of_nodes: every name of these nodes, as written and as compared.
SELECT node_id, normalised_name, name, kind FROM node_name
WHERE knowledge_space_id = %(space_id)s AND node_id = ANY(%(nodes)s::uuid[])
ORDER BY node_id, normalised_name
