-- lock_chunks: lock these chunks against new references until the transaction deletes them.
SELECT id FROM knowledge_chunk
WHERE knowledge_space_id = %(space_id)s AND id = ANY(%(chunks)s::uuid[])
ORDER BY id FOR UPDATE
