-- list_statements_of_nodes: statements about these nodes in the texts' own words, highest confidence first, with evidence.
-- With `as_of` only statements of that date or earlier, and undated ones. Copies of a text count once.
SELECT wanted.id, said.subject, said.name, said.value #>> '{}', said.confidence, said.stated_at, said.quote,
    said.char_start, said.char_end, chunk.id, chunk.document_id, document.title, chunk.char_start,
    coalesce(chunk.places, to_jsonb(chunk.place))
FROM unnest((SELECT %(nodes)s::uuid[])) WITH ORDINALITY AS wanted (id, place)
CROSS JOIN LATERAL (
    SELECT * FROM node_attribute
    WHERE knowledge_space_id = %(space_id)s AND node_id = wanted.id AND confidence > 0
      AND (%(as_of)s::timestamptz IS NULL OR stated_at IS NULL OR stated_at <= %(as_of)s::timestamptz)
    ORDER BY confidence DESC
    LIMIT (SELECT %(per_node)s::int)
) AS said
JOIN knowledge_chunk AS chunk ON chunk.knowledge_space_id = %(space_id)s AND chunk.id = said.chunk_id
JOIN document ON document.knowledge_space_id = %(space_id)s AND document.id = chunk.document_id
ORDER BY wanted.place, said.confidence DESC, said.stated_at DESC NULLS LAST, chunk.id, said.char_start, said.name
