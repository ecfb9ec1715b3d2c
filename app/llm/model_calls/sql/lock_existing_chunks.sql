-- lock_existing_chunks: those of these chunks that stand; they are not deleted until the transaction ends.
SELECT chunk.id FROM knowledge_chunk AS chunk
WHERE chunk.knowledge_space_id = %(space_id)s AND chunk.id = ANY(%(chunks)s::uuid[])
ORDER BY chunk.id FOR KEY SHARE
