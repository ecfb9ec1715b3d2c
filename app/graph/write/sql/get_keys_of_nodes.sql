-- get_keys_of_nodes: the spelling keys of these nodes.
-- Node by node: see names_of_nodes.
SELECT spelt.node_id, spelt.key
FROM unnest(%(nodes)s::uuid[]) AS given (node_id)
CROSS JOIN LATERAL (
    SELECT node_id, key FROM node_name_key
    WHERE knowledge_space_id = %(space_id)s AND node_id = given.node_id OFFSET 0
) AS spelt
ORDER BY 1, 2
