-- drop_chunks: remove chunks and say whose they were.
DELETE FROM knowledge_chunk WHERE knowledge_space_id = %(space_id)s AND id = ANY(%(chunks)s::uuid[])
RETURNING document_id
