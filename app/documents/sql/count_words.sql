-- count_words: store the words that occur in more than one of 200 chunks, from a sample, and the number of chunks.
WITH counted AS (
    SELECT count(*) AS chunks FROM knowledge_chunk WHERE knowledge_space_id = %(space_id)s
), sample AS MATERIALIZED (
    SELECT lexemes FROM knowledge_chunk
    WHERE knowledge_space_id = %(space_id)s AND lexemes IS NOT NULL
      -- As good as any other draw, and one that a worker of a cluster may make.
      AND (uuid_hash_extended(id, 0) & 1048575) < 1048576 * %(sample)s::float8 / (SELECT greatest(chunks, 1) FROM counted)
), common AS (
    SELECT lexeme, count(*)::real / (SELECT count(*) FROM sample) AS share
    FROM sample CROSS JOIN LATERAL unnest(lexemes) AS word (lexeme)
    GROUP BY lexeme
    HAVING count(*) * 200 > (SELECT count(*) FROM sample) AND count(*) > 1
)
UPDATE space_statistics SET
    chunks = counted.chunks, chunks_since = 0, counted_at = now(),
    common_lexemes = coalesce((SELECT array_agg(lexeme ORDER BY lexeme) FROM common), '{}'),
    common_shares = coalesce((SELECT array_agg(share ORDER BY lexeme) FROM common), '{}')
FROM counted WHERE space_statistics.knowledge_space_id = %(space_id)s
