-- get_names_of_nodes: the names of these nodes, as written and normalised.
-- Node by node, so that only the index of nodes can be used, whatever the statistics.
SELECT named.node_id, named.normalised_name, named.name, named.kind
FROM unnest(%(nodes)s::uuid[]) AS given (node_id)
CROSS JOIN LATERAL (
    SELECT node_id, normalised_name, name, kind FROM node_name
    WHERE knowledge_space_id = %(space_id)s AND node_id = given.node_id OFFSET 0
) AS named
ORDER BY 1, 2
