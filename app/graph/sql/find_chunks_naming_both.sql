-- find_chunks_naming_both: for each pair a few chunks that mention both nodes, closest together first.
-- The newest `probes` chunks of the rarer node are tried, each by the key of the other's mention. A mention without
-- words is the topic of a document in a chunk that does not name it.
SELECT pair.place, near.chunk_id, chunk.document_id, document.title, document.language, chunk.char_start,
    coalesce(chunk.places, to_jsonb(chunk.place)), chunk.text, near.rarer_form, near.other_form
FROM unnest(%(rarer)s::uuid[], %(others)s::uuid[]) WITH ORDINALITY AS pair(rarer, other, place)
CROSS JOIN LATERAL (
    SELECT tried.chunk_id, tried.surface_form AS rarer_form, met.surface_form AS other_form,
        abs(tried.char_start - met.char_start) AS apart
    FROM (
        SELECT chunk_id, char_start, surface_form FROM node_mention
        WHERE knowledge_space_id = %(space_id)s AND node_id = pair.rarer AND char_end > char_start
        ORDER BY chunk_id DESC LIMIT %(probes)s
    ) AS tried
    CROSS JOIN LATERAL (
        SELECT char_start, surface_form FROM node_mention
        WHERE knowledge_space_id = %(space_id)s AND chunk_id = tried.chunk_id AND node_id = pair.other
            AND char_end > char_start LIMIT 1
    ) AS met
    ORDER BY apart, tried.chunk_id LIMIT %(passages)s
) AS near
CROSS JOIN LATERAL (
    SELECT document_id, char_start, place, places, text FROM knowledge_chunk
    WHERE knowledge_space_id = %(space_id)s AND id = near.chunk_id LIMIT 1
) AS chunk
CROSS JOIN LATERAL (
    SELECT title, language FROM document
    WHERE knowledge_space_id = %(space_id)s AND id = chunk.document_id LIMIT 1
) AS document
ORDER BY pair.place, near.apart, near.chunk_id
