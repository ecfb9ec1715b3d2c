-- misplaced_chunks: a chunk whose text differs from the earlier chunk of its document that reaches furthest, where they overlap.
-- Every range of an assembled text is that of one of the two, so that no text of a document is read again for each of its chunks.
WITH numbered AS (
    SELECT id, document_id, text, char_start, char_end,
        row_number() OVER (PARTITION BY document_id ORDER BY char_start, char_end, ordinal, id) AS position
    FROM knowledge_chunk WHERE knowledge_space_id = %(space_id)s
),
reached AS (
    SELECT *, max(ARRAY[char_end, position]) OVER (
        PARTITION BY document_id ORDER BY position ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS furthest
    FROM numbered
)
SELECT later.id FROM reached AS later
JOIN numbered AS earlier ON earlier.document_id = later.document_id AND earlier.position = later.furthest[2]
WHERE earlier.char_end > later.char_start
  AND substr(later.text, 1, least(later.char_end, earlier.char_end) - later.char_start)
      <> substr(earlier.text, later.char_start - earlier.char_start + 1,
                least(later.char_end, earlier.char_end) - later.char_start)
LIMIT 1
