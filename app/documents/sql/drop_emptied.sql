-- drop_emptied: delete those of these documents that were read completely and have no chunk left.
DELETE FROM document
WHERE knowledge_space_id = %(space_id)s AND id = ANY(%(ids)s::uuid[]) AND state = 'ready'
  AND NOT EXISTS (SELECT 1 FROM knowledge_chunk c
                  WHERE c.knowledge_space_id = %(space_id)s AND c.document_id = document.id)
RETURNING id
