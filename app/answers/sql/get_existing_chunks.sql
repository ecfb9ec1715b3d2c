-- get_existing_chunks: those of these chunks that exist, with the columns that a citation shows.
-- The LIMIT in each LATERAL makes it an index probe whatever the planner believes of the space's size.
SELECT chunk.id, chunk.document_id, document.title, chunk.text, chunk.char_start,
    coalesce(chunk.places, to_jsonb(chunk.place))
FROM (SELECT DISTINCT unnest(%(ids)s::uuid[]) AS id) AS asked
CROSS JOIN LATERAL (
    SELECT id, document_id, text, char_start, place, places FROM knowledge_chunk
    WHERE knowledge_space_id = %(space_id)s AND id = asked.id LIMIT 1
) AS chunk
CROSS JOIN LATERAL (
    SELECT title FROM document WHERE knowledge_space_id = %(space_id)s AND id = chunk.document_id LIMIT 1
) AS document
