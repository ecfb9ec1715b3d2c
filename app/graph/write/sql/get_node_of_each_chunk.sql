-- get_node_of_each_chunk: the one of these nodes that each chunk mentions, or that a split assigned a chunk of the same text to.
SELECT m.chunk_id, m.node_id, true AS named FROM node_mention m
WHERE m.knowledge_space_id = %(space_id)s AND m.chunk_id = ANY(%(chunks)s::uuid[])
  AND m.node_id = ANY(%(nodes)s::uuid[])
UNION ALL
SELECT c.id, s.new_node_id, false FROM knowledge_chunk c
JOIN node_split s ON s.knowledge_space_id = %(space_id)s AND s.new_node_id = ANY(%(nodes)s::uuid[])
    AND s.undone_at IS NULL AND c.content_hash = ANY(s.content_hashes)
WHERE c.knowledge_space_id = %(space_id)s AND c.id = ANY(%(chunks)s::uuid[])
ORDER BY 3, 1, 2
