-- mentions: the next mentions of the space in the order of chunk and node.
SELECT
    mention.chunk_id, mention.node_id, mention.surface_form, mention.name, mention.char_start,
    mention.char_end, mention.node_type, mention.titular, mention.sense
FROM node_mention AS mention
WHERE mention.knowledge_space_id = %(space_id)s
  AND (mention.chunk_id, mention.node_id) > (%(chunk_id)s::uuid, %(node_id)s::uuid)
ORDER BY mention.chunk_id, mention.node_id
LIMIT %(limit)s
