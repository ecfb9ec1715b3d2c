-- known_names: the nodes that full names identify, as far as resolution needs them.
SELECT n.normalised_name, g.id, g.canonical_name, g.node_type, g.mention_count, g.metadata
FROM node_name n
JOIN graph_node g ON g.knowledge_space_id = %(space_id)s AND g.id = n.node_id
WHERE n.knowledge_space_id = %(space_id)s AND n.normalised_name = ANY(%(names)s::text[])
  AND n.kind <> 'short' AND g.deleted_at IS NULL
ORDER BY n.normalised_name, g.id
