-- find_mails: where the mails of these Message-IDs begin: the oldest that is a document, else the oldest within a larger file.
-- LIMIT keeps each look-up a probe of an index: without statistics on the space a join would read all of its documents.
SELECT asked.message_id, coalesce(mail.id, document.id), coalesce(mail.title, document.title),
    coalesce(mail.source_uri, document.source_uri), chunk.id, chunk.place
FROM unnest(%(message_ids)s::text[]) AS asked (message_id)
LEFT JOIN LATERAL (
    SELECT d.id, d.title, d.source_uri FROM document AS d
    WHERE d.knowledge_space_id = %(space_id)s AND d.message_id = asked.message_id
    ORDER BY d.id LIMIT 1
) AS mail ON true
LEFT JOIN LATERAL (
    SELECT c.id, c.document_id, c.place FROM knowledge_chunk AS c
    WHERE mail.id IS NULL AND c.knowledge_space_id = %(space_id)s AND c.message_id = asked.message_id
    ORDER BY c.id LIMIT 1
) AS chunk ON true
LEFT JOIN LATERAL (
    SELECT d.id, d.title, d.source_uri FROM document AS d
    WHERE d.knowledge_space_id = %(space_id)s AND d.id = chunk.document_id
    LIMIT 1
) AS document ON true
WHERE mail.id IS NOT NULL OR document.id IS NOT NULL
