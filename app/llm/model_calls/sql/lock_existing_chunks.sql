-- lock_existing_chunks: those of these chunks that exist, locked against deletion until the transaction ends.
SELECT chunk.id FROM knowledge_chunk AS chunk
WHERE chunk.knowledge_space_id = %(space_id)s AND chunk.id = ANY(%(chunks)s::uuid[])
ORDER BY chunk.id FOR KEY SHARE
