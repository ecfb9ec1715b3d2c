-- mentions_of_chunks: what chunks count for, node by node.
SELECT g.id, g.canonical_name, g.node_type, g.mention_count, g.metadata, m.name, m.node_type
FROM node_mention m
JOIN graph_node g ON g.knowledge_space_id = %(space_id)s AND g.id = m.node_id
WHERE m.knowledge_space_id = %(space_id)s AND m.chunk_id = ANY(%(chunks)s::uuid[])
ORDER BY g.id
