-- list_nodes_by_full_name: the nodes that full names identify, with the columns that resolution needs.
SELECT n.normalised_name, g.id, g.canonical_name, g.node_type, g.mention_count, g.metadata
FROM unnest(%(names)s::text[]) AS given (name)
CROSS JOIN LATERAL (
    SELECT normalised_name, node_id, kind FROM node_name
    WHERE knowledge_space_id = %(space_id)s AND normalised_name = given.name OFFSET 0
) AS n
CROSS JOIN LATERAL (
    SELECT id, canonical_name, node_type, mention_count, metadata FROM graph_node
    WHERE knowledge_space_id = %(space_id)s AND id = n.node_id LIMIT 1
) AS g
WHERE n.kind <> 'short'
ORDER BY n.normalised_name, g.id
