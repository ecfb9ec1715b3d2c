-- select_unchanged_chunk_ids: those of these chunks whose document still has the version that was read, and is not being read.
SELECT chunk.id
FROM unnest(%(documents)s::uuid[], %(versions)s::int[]) AS given (document_id, version)
JOIN document ON document.knowledge_space_id = %(space_id)s AND document.id = given.document_id
    AND document.version = given.version AND document.state <> 'processing'
JOIN knowledge_chunk AS chunk ON chunk.knowledge_space_id = %(space_id)s AND chunk.document_id = document.id
WHERE chunk.id = ANY(%(chunks)s::uuid[])
