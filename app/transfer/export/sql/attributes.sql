-- attributes: the next attribute values of the space and statements in the order of chunk, node, name and place.
SELECT
    attribute.chunk_id, attribute.node_id, attribute.name, attribute.value, attribute.said_of,
    attribute.quote, attribute.char_start, attribute.char_end, attribute.stated_at,
    attribute.ended_at, attribute.ended_by, attribute.ended_reason, attribute.confidence, attribute.subject
FROM node_attribute AS attribute
WHERE attribute.knowledge_space_id = %(space_id)s
  AND (attribute.chunk_id, attribute.node_id, attribute.name, attribute.char_start)
      > (%(chunk_id)s::uuid, %(node_id)s::uuid, %(name)s::text COLLATE "C", %(char_start)s::int)
ORDER BY attribute.chunk_id, attribute.node_id, attribute.name, attribute.char_start
LIMIT %(limit)s
