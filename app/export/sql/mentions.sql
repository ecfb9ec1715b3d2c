-- mentions: the next mentions of the space in the order of chunk and node; not of nodes that are hidden.
SELECT
    mention.chunk_id, mention.node_id, mention.surface_form, mention.name, mention.char_start,
    mention.char_end, mention.node_type, mention.titular, mention.sense
FROM node_mention AS mention
JOIN graph_node AS node
    ON node.knowledge_space_id = %(space_id)s AND node.id = mention.node_id AND node.deleted_at IS NULL
WHERE mention.knowledge_space_id = %(space_id)s
  AND (mention.chunk_id, mention.node_id) > (%(chunk_id)s::uuid, %(node_id)s::uuid)
ORDER BY mention.chunk_id, mention.node_id
LIMIT %(limit)s
