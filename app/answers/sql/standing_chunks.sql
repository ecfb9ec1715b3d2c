-- standing_chunks: those of these chunks that the space still has, with what a citation of them shows.
SELECT chunk.id, chunk.document_id, document.title, chunk.text, chunk.char_start
FROM knowledge_chunk AS chunk
JOIN document ON document.knowledge_space_id = %(space_id)s AND document.id = chunk.document_id
WHERE chunk.knowledge_space_id = %(space_id)s AND chunk.id = ANY(%(ids)s::uuid[])
