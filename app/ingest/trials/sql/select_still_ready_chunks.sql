-- select_still_ready_chunks: those of these chunks that exist, in the version of their document that was read, and are not being read.
SELECT chunk.id
FROM unnest(%(documents)s::uuid[], %(versions)s::int[]) AS given (document_id, version)
JOIN document ON document.knowledge_space_id = %(space_id)s AND document.id = given.document_id
    AND document.version = given.version AND document.state = 'ready'
JOIN knowledge_chunk AS chunk ON chunk.knowledge_space_id = %(space_id)s AND chunk.document_id = document.id
WHERE chunk.id = ANY(%(chunks)s::uuid[])
