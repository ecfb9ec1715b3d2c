-- get_passages: chunks with the columns that an answer displays, and the titles of their documents.
-- The LIMIT in each LATERAL makes it an index probe, whatever the planner estimates for the space's size.
SELECT c.id, c.document_id, d.title, c.heading_path, c.text, c.char_start, c.char_end, d.source_kind, c.created_at,
    c.extracted_by, d.language, c.place, d.trust
FROM (SELECT DISTINCT unnest(%(chunks)s::uuid[]) AS id) AS asked
CROSS JOIN LATERAL (
    SELECT id, document_id, heading_path, text, char_start, char_end, created_at, extracted_by, place
    FROM knowledge_chunk
    WHERE knowledge_space_id = %(space_id)s AND id = asked.id LIMIT 1
) AS c
CROSS JOIN LATERAL (
    SELECT title, source_kind, language, trust FROM document
    WHERE knowledge_space_id = %(space_id)s AND id = c.document_id LIMIT 1
) AS d
