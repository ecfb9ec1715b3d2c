-- list_mentions: the chunks that mention a node, in their order, with the words around its name.
SELECT m.chunk_id, c.document_id, d.title, m.surface_form,
    substr(c.text, greatest(1, m.char_start - %(around)s + 1),
        least(m.char_start, %(around)s)),
    substr(c.text, m.char_end + 1, %(around)s),
    c.char_start + m.char_start, c.char_start + m.char_end, c.char_start, coalesce(c.places, to_jsonb(c.place))
FROM node_mention m
JOIN knowledge_chunk c ON c.knowledge_space_id = %(space_id)s AND c.id = m.chunk_id
JOIN document d ON d.knowledge_space_id = %(space_id)s AND d.id = c.document_id
WHERE m.knowledge_space_id = %(space_id)s AND m.node_id = %(node)s
  AND (%(after)s::uuid IS NULL OR m.chunk_id > %(after)s::uuid)
ORDER BY m.chunk_id
LIMIT %(limit)s
