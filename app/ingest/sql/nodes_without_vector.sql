-- nodes_without_vector: the nodes that these chunks name and that have no vector yet, with their names.
SELECT DISTINCT n.id, n.canonical_name
FROM node_mention m
JOIN graph_node n ON n.knowledge_space_id = %(space_id)s AND n.id = m.node_id AND n.deleted_at IS NULL
WHERE m.knowledge_space_id = %(space_id)s AND m.chunk_id = ANY(%(chunks)s::uuid[])
  AND NOT EXISTS (SELECT 1 FROM node_vector v WHERE v.knowledge_space_id = %(space_id)s AND v.node_id = n.id)
ORDER BY n.id
