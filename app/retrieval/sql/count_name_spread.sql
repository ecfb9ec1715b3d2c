-- count_name_spread: the number of chunks that contain the words of each name, counted up to a bound, and of all chunks.
SELECT given.place::int - 1, (
    SELECT count(*) FROM chunk_matches(phraseto_tsquery('pg_catalog.english', search_text(given.name)), '{}', %(bound)s)
)::int
FROM unnest(%(names)s::text[]) WITH ORDINALITY AS given (name, place)
UNION ALL
SELECT -1, coalesce((
    SELECT chunks + chunks_since FROM space_statistics WHERE knowledge_space_id = %(space_id)s
), 0)
ORDER BY 1
