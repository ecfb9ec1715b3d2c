-- count_text_characters: how many characters the texts of all documents would have, gaps between their chunks included.
SELECT coalesce(sum(longest), 0)::bigint FROM (
    SELECT max(char_end)::bigint AS longest FROM knowledge_chunk
    WHERE knowledge_space_id = %(space_id)s GROUP BY document_id
) AS texts
