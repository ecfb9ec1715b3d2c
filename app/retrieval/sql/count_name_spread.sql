-- count_name_spread: in how many chunks the words of each name stand, counted up to a bound, and the space's chunks.
SELECT given.place::int - 1, (
    SELECT count(*) FROM chunk_matches(phraseto_tsquery('pg_catalog.english', search_text(given.name)), '{}', %(bound)s)
)::int
FROM unnest(%(names)s::text[]) WITH ORDINALITY AS given (name, place)
UNION ALL
SELECT -1, coalesce((
    SELECT chunks + chunks_since FROM space_statistics WHERE knowledge_space_id = %(space_id)s
), 0)
ORDER BY 1
