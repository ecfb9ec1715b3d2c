-- list_nodes_by_spelling_key: the nodes with one of these spelling keys, with the columns that resolution needs.
SELECT k.key, g.id, g.canonical_name, g.node_type, g.mention_count, g.metadata
FROM unnest(%(keys)s::text[]) AS given (key)
CROSS JOIN LATERAL (
    SELECT key, node_id FROM node_name_key
    WHERE knowledge_space_id = %(space_id)s AND key = given.key OFFSET 0
) AS k
CROSS JOIN LATERAL (
    SELECT id, canonical_name, node_type, mention_count, metadata FROM graph_node
    WHERE knowledge_space_id = %(space_id)s AND id = k.node_id LIMIT 1
) AS g
ORDER BY k.key, g.id
