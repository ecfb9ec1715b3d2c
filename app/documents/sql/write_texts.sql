-- write_texts: store the plain text of documents that have been read, and the properties found in reading.
WITH input AS (
    SELECT * FROM unnest(%(ids)s::uuid[], %(texts)s::text[], %(titles)s::text[], %(languages)s::text[],
        %(encodings)s::text[], %(warnings)s::jsonb[], %(message_ids)s::text[], %(replies)s::text[])
        AS t(id, body, title, language, encoding, warnings, message_id, in_reply_to)
), described AS (
    UPDATE document SET title = input.title, language = coalesce(document.language, input.language), encoding = input.encoding,
        warnings = input.warnings, message_id = input.message_id, in_reply_to = input.in_reply_to, updated_at = now()
    FROM input WHERE document.knowledge_space_id = %(space_id)s AND document.id = input.id
)
UPDATE document_body SET text = input.body
FROM input WHERE document_body.knowledge_space_id = %(space_id)s AND document_body.document_id = input.id
  AND document_body.text IS DISTINCT FROM input.body
