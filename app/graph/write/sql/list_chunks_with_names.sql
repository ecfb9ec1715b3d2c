-- list_chunks_with_names: the chunks that mention these nodes and have one of their names given here, in the mention, text, headings or title.
SELECT DISTINCT mention.chunk_id
FROM unnest(%(nodes)s::uuid[], %(names)s::text[]) AS wanted(node_id, name)
JOIN node_mention AS mention ON mention.knowledge_space_id = %(space_id)s AND mention.node_id = wanted.node_id
JOIN knowledge_chunk AS chunk ON chunk.knowledge_space_id = %(space_id)s AND chunk.id = mention.chunk_id
JOIN document ON document.knowledge_space_id = %(space_id)s AND document.id = chunk.document_id
WHERE mention.name = wanted.name OR strpos(
    lower(concat_ws(E'\n', chunk.text, array_to_string(chunk.heading_path, E'\n'), document.title)), lower(wanted.name)) > 0
ORDER BY mention.chunk_id
