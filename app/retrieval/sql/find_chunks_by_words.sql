-- find_chunks_by_words: the chunks with the question's rarest words, ranked by all of its words.
-- Frequent words cannot lift a chunk above those with rare ones, so the candidates come from the rarest words whose
-- total matches stay within a budget, at least from the rarest one. The score is that of BM25: rarity times term
-- frequency, here by ts_rank of one word, which saturates alike.
WITH word AS (
    SELECT lexeme FROM unnest(to_tsvector('pg_catalog.english', search_text(%(question)s))) LIMIT 32
), statistics AS (
    SELECT greatest(chunks + chunks_since, 1) AS chunks, common_lexemes, common_shares
    FROM space_statistics WHERE knowledge_space_id = %(space_id)s
), share AS (
    SELECT word.lexeme, coalesce(common.share, 0) AS share,
        sum(coalesce(common.share, 0.002)) OVER (ORDER BY coalesce(common.share, 0), word.lexeme) AS upto,
        row_number() OVER (ORDER BY coalesce(common.share, 0), word.lexeme) AS place
    FROM word
    LEFT JOIN (SELECT each.* FROM statistics, unnest(common_lexemes, common_shares) AS each (lexeme, share)) AS common
        ON common.lexeme = word.lexeme
), matched AS MATERIALIZED (
    SELECT m.chunk_id, m.tokens, m.ranks
    FROM chunk_matches(
        (SELECT string_agg('''' || replace(replace(lexeme, '\', '\\'), '''', '''''') || '''', ' | ')::tsquery
         FROM share WHERE place = 1 OR upto * (SELECT chunks FROM statistics) <= %(budget)s),
        (SELECT array_agg(lexeme ORDER BY place) FROM share),
        %(bound)s
    ) AS m
), hit AS (
    SELECT matched.chunk_id, matched.tokens, word.place, word.rank
    FROM matched CROSS JOIN LATERAL unnest(matched.ranks) WITH ORDINALITY AS word (rank, place)
    WHERE word.rank > 0
), held AS (
    SELECT place, count(*) AS chunks FROM hit GROUP BY place
), rarity AS (
    SELECT n.place, ln(1 + (n.chunks - n.df + 0.5) / (n.df + 0.5)) AS idf
    FROM (
        SELECT share.place, greatest(s.chunks, held.chunks)::float8 AS chunks,
            greatest(held.chunks, share.share * s.chunks)::float8 AS df
        FROM share JOIN held ON held.place = share.place CROSS JOIN statistics AS s
    ) AS n
)
SELECT best.chunk_id, best.score, coalesce(1 - (v.embedding <=> %(vector)s::halfvec), 0)::float8 AS similarity
FROM (
    SELECT hit.chunk_id, sum(rarity.idf * hit.rank / (0.75 + 0.25 * hit.tokens / %(usual_tokens)s))::float8 AS score
    FROM hit JOIN rarity ON rarity.place = hit.place
    GROUP BY hit.chunk_id
    ORDER BY score DESC, hit.chunk_id
    LIMIT %(limit)s
) AS best
LEFT JOIN LATERAL (
    SELECT embedding FROM chunk_vector
    WHERE knowledge_space_id = %(space_id)s AND chunk_id = best.chunk_id AND vector_set = %(vector_set)s LIMIT 1
) AS v ON true
ORDER BY best.score DESC, best.chunk_id
