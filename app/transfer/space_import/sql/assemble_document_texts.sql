-- assemble_document_texts: build the plain text of each document from its chunks, with line ends between them, and store counts and sizes.
INSERT INTO document_body (knowledge_space_id, document_id, raw, text)
SELECT document.knowledge_space_id, document.id, convert_to(coalesce(joined.body, ''), 'UTF8'), coalesce(joined.body, '')
FROM document
LEFT JOIN (
    SELECT document_id, string_agg(
        repeat(E'\n', greatest(char_start - written, 0)) || substr(text, greatest(written - char_start, 0) + 1), ''
        ORDER BY char_start, char_end, ordinal) AS body
    FROM (
        SELECT document_id, text, char_start, char_end, ordinal, coalesce(
            max(char_end) OVER (PARTITION BY document_id ORDER BY char_start, char_end, ordinal, id
                                ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS written
        FROM knowledge_chunk WHERE knowledge_space_id = %(space_id)s
    ) AS placed
    GROUP BY document_id
) AS joined ON joined.document_id = document.id
WHERE document.knowledge_space_id = %(space_id)s;
UPDATE document SET chunk_count = counted.chunks, byte_size = greatest(document.byte_size, octet_length(body.text))
FROM (
    SELECT document_id, count(*) AS chunks FROM knowledge_chunk WHERE knowledge_space_id = %(space_id)s GROUP BY document_id
) AS counted
JOIN document_body AS body ON body.knowledge_space_id = %(space_id)s AND body.document_id = counted.document_id
WHERE document.knowledge_space_id = %(space_id)s AND document.id = counted.document_id
