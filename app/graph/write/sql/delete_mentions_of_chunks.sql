-- delete_mentions_of_chunks: these chunks, which are read anew, name nothing for now.
DELETE FROM node_mention WHERE knowledge_space_id = %(space_id)s AND chunk_id = ANY(%(chunks)s::uuid[])
