-- drop_chunks: delete chunks; return the documents that they belonged to.
DELETE FROM knowledge_chunk WHERE knowledge_space_id = %(space_id)s AND id = ANY(%(chunks)s::uuid[])
RETURNING document_id
