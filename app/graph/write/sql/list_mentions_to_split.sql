-- list_mentions_to_split: the mentions of a node in these chunks or documents, with each chunk's text and hash.
SELECT m.chunk_id, m.name, c.content_hash, c.text FROM node_mention m
JOIN knowledge_chunk c ON c.knowledge_space_id = %(space_id)s AND c.id = m.chunk_id
WHERE m.knowledge_space_id = %(space_id)s AND m.node_id = %(node)s
  AND (c.id = ANY(%(chunks)s::uuid[]) OR c.document_id = ANY(%(documents)s::uuid[]))
ORDER BY m.chunk_id
LIMIT %(limit)s
