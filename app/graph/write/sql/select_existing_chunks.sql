-- select_existing_chunks: those of these chunks that exist.
SELECT id FROM knowledge_chunk WHERE knowledge_space_id = %(space_id)s AND id = ANY(%(chunks)s::uuid[])
