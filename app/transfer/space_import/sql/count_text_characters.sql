-- count_text_characters: the number of characters of the texts of all documents, with the gaps between their chunks.
SELECT coalesce(sum(longest), 0)::bigint FROM (
    SELECT max(char_end)::bigint AS longest FROM knowledge_chunk
    WHERE knowledge_space_id = %(space_id)s GROUP BY document_id
) AS texts
