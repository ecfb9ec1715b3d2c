-- misplaced_chunks: a chunk whose text differs from its range of the document's text.
SELECT chunk.id FROM knowledge_chunk AS chunk
JOIN document_body AS body
    ON body.knowledge_space_id = %(space_id)s AND body.document_id = chunk.document_id
WHERE chunk.knowledge_space_id = %(space_id)s
  AND substr(body.text, chunk.char_start + 1, chunk.char_end - chunk.char_start) <> chunk.text
LIMIT 1
