-- known_keys: the nodes that have one of these keys of spelling, as far as resolution needs them.
SELECT k.key, g.id, g.canonical_name, g.node_type, g.mention_count, g.metadata
FROM node_name_key k
JOIN graph_node g ON g.knowledge_space_id = %(space_id)s AND g.id = k.node_id
WHERE k.knowledge_space_id = %(space_id)s AND k.key = ANY(%(keys)s::text[]) AND g.deleted_at IS NULL
ORDER BY k.key, g.id
