-- nodes_whole: nodes with all that a change of their names must know.
SELECT g.id, g.canonical_name, g.node_type, g.mention_count, g.metadata, g.confidence, g.first_seen_at
FROM graph_node g
WHERE g.knowledge_space_id = %(space_id)s AND g.id = ANY(%(nodes)s::uuid[]) AND g.deleted_at IS NULL
ORDER BY g.id
