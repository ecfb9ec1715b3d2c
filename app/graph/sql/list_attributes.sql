-- list_attributes: the attributes that chunks state for a node, by name, current value first, with evidence.
SELECT a.name, a.value, a.ended_at IS NULL AND coalesce(node.metadata -> 'attributes' -> a.name = a.value, false) AS holds,
    a.quote, a.char_start, a.char_end, chunk.id, chunk.document_id, document.title, chunk.char_start,
    coalesce(chunk.places, to_jsonb(chunk.place)),
    a.stated_at, a.ended_at, a.ended_by, a.ended_reason
FROM node_attribute AS a
JOIN graph_node AS node ON node.knowledge_space_id = %(space_id)s AND node.id = a.node_id
JOIN knowledge_chunk AS chunk ON chunk.knowledge_space_id = %(space_id)s AND chunk.id = a.chunk_id
JOIN document ON document.knowledge_space_id = %(space_id)s AND document.id = chunk.document_id
WHERE a.knowledge_space_id = %(space_id)s AND a.node_id = %(node)s AND a.confidence IS NULL
ORDER BY a.name, holds DESC, a.value, a.chunk_id
LIMIT %(limit)s
