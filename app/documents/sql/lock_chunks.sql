-- lock_chunks: nobody refers to these chunks any more who does not already, until the transaction deletes them.
SELECT id FROM knowledge_chunk
WHERE knowledge_space_id = %(space_id)s AND id = ANY(%(chunks)s::uuid[])
ORDER BY id FOR UPDATE
