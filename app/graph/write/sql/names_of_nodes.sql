-- names_of_nodes: every name of these nodes, as written and as compared.
-- Node by node, so that no other index than that of nodes is of use, whatever is known of the table.
SELECT named.node_id, named.normalised_name, named.name, named.kind
FROM unnest(%(nodes)s::uuid[]) AS given (node_id)
CROSS JOIN LATERAL (
    SELECT node_id, normalised_name, name, kind FROM node_name
    WHERE knowledge_space_id = %(space_id)s AND node_id = given.node_id OFFSET 0
) AS named
ORDER BY 1, 2
