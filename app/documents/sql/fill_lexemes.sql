-- fill_lexemes: store the words of chunks that a worker of an older version wrote without them.
UPDATE knowledge_chunk c SET lexemes = chunk_lexemes(c.knowledge_space_id, d.title, c.heading_path, c.text)
FROM document d
WHERE c.knowledge_space_id = %(space_id)s AND c.lexemes IS NULL
  AND d.knowledge_space_id = %(space_id)s AND d.id = c.document_id
