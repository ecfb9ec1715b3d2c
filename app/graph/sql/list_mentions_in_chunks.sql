-- list_mentions_in_chunks: the nodes that these chunks mention, each with its first position in the chunk.
SELECT mention.chunk_id, mention.node_id, mention.char_start, mention.char_end, node.canonical_name, node.node_type
FROM node_mention AS mention
JOIN graph_node AS node ON node.knowledge_space_id = %(space_id)s AND node.id = mention.node_id
WHERE mention.knowledge_space_id = %(space_id)s AND mention.chunk_id = ANY(%(ids)s::uuid[])
  AND mention.char_end > mention.char_start
ORDER BY mention.chunk_id, mention.char_start, mention.char_end DESC, mention.node_id
LIMIT %(limit)s
