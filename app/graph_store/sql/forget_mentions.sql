-- forget_mentions: forget what these chunks name; they stay, and are read again.
DELETE FROM node_mention
WHERE knowledge_space_id = %(space_id)s AND chunk_id = ANY(%(chunks)s::uuid[])
