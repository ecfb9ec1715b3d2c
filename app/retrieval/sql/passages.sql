-- passages: chunks as an answer shows them, with the titles of their documents.
SELECT c.id, c.document_id, d.title, c.heading_path, c.text, c.char_start, c.char_end, d.source_kind, c.created_at,
    c.extracted_by, d.language
FROM knowledge_chunk c
JOIN document d ON d.knowledge_space_id = %(space_id)s AND d.id = c.document_id
WHERE c.knowledge_space_id = %(space_id)s AND c.id = ANY(%(chunks)s::uuid[])
