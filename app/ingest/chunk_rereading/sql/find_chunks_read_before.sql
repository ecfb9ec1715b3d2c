-- find_chunks_read_before: those of these chunks that were read, with document, extractor, and whether a job is reading the document.
SELECT chunk.id, document.id, chunk.extracted_by, document.state = 'processing'
FROM knowledge_chunk AS chunk
JOIN document ON document.knowledge_space_id = %(space_id)s AND document.id = chunk.document_id
WHERE chunk.knowledge_space_id = %(space_id)s AND chunk.id = ANY(%(chunks)s::uuid[]) AND chunk.extracted_by IS NOT NULL
ORDER BY chunk.id
