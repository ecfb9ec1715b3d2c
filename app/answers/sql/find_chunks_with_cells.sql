-- find_chunks_with_cells: further chunks of documents, each with all cells that are asked for, in the documents' order.
-- Each document is read by its index, a chunk's text is compared in small letters, and `most` chunks are enough.
SELECT chunk.id, asked.document_id, chunk.heading_path, chunk.text, chunk.char_start, chunk.place
FROM jsonb_to_recordset(%(tables)s::jsonb) AS asked (document_id uuid, cells text[])
CROSS JOIN LATERAL (
    SELECT id, heading_path, text, char_start, place, ordinal FROM knowledge_chunk
    WHERE knowledge_space_id = %(space_id)s AND document_id = asked.document_id AND id <> ALL (%(known)s::uuid[])
        AND NOT EXISTS (
            SELECT FROM unnest(asked.cells) AS cell WHERE strpos(lower(knowledge_chunk.text), lower(cell)) = 0
        )
    ORDER BY ordinal, id LIMIT %(most)s
) AS chunk
ORDER BY asked.document_id, chunk.ordinal, chunk.id
LIMIT %(most)s
