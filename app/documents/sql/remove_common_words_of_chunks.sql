-- remove_common_words_of_chunks: remove words from the space's common ones, if most of the chunks that contain them are about to be deleted.
WITH gone AS MATERIALIZED (
    SELECT word.lexeme, count(*) AS chunks
    FROM knowledge_chunk c CROSS JOIN LATERAL unnest(c.lexemes) AS word (lexeme)
    WHERE c.knowledge_space_id = %(space_id)s AND c.id = ANY(%(chunks)s::uuid[])
    GROUP BY word.lexeme
), known AS (
    SELECT common.lexeme, common.share - coalesce(gone.chunks, 0)::real / greatest(s.chunks, 1) AS share
    FROM space_statistics s
    CROSS JOIN LATERAL unnest(s.common_lexemes, s.common_shares) AS common (lexeme, share)
    LEFT JOIN gone ON gone.lexeme = common.lexeme
    WHERE s.knowledge_space_id = %(space_id)s AND coalesce(gone.chunks, 0) * 2 < common.share * greatest(s.chunks, 1)
)
UPDATE space_statistics SET
    common_lexemes = coalesce((SELECT array_agg(lexeme ORDER BY lexeme) FROM known), '{}'),
    common_shares = coalesce((SELECT array_agg(share ORDER BY lexeme) FROM known), '{}')
WHERE knowledge_space_id = %(space_id)s
  AND common_lexemes && ARRAY(SELECT lexeme FROM gone)
