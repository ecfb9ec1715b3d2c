-- delete_mentions_of_chunks: delete the mentions of these chunks, which are read again.
DELETE FROM node_mention WHERE knowledge_space_id = %(space_id)s AND chunk_id = ANY(%(chunks)s::uuid[])
