-- drop_mentions: delete the mentions of a node in these chunks.
DELETE FROM node_mention
WHERE knowledge_space_id = %(space_id)s AND node_id = %(node)s AND chunk_id = ANY(%(chunks)s::uuid[])
