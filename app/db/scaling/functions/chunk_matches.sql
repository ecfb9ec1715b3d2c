-- chunk_matches: on a cluster, the chunks of the open space with the words asked for, read in its own shard.
-- Of a distributed table no function with its owner's rights could read: it would lose them on the way to the shard.
CREATE OR REPLACE FUNCTION public.chunk_matches(wanted tsquery, scored text[], bound integer)
RETURNS TABLE (chunk_id uuid, tokens integer, ranks real[])
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE space uuid := nullif(current_setting('app.space_id', true), '')::uuid;
BEGIN
    IF space IS NULL THEN
        RETURN;
    END IF;
    RETURN QUERY EXECUTE format($q$
        WITH written AS (
            SELECT array_agg(
                (('''' || replace(replace(each.word, '\', '\\'), '''', '''''') || '''')::tsquery) ORDER BY each.place
            ) AS queries
            FROM unnest($2) WITH ORDINALITY AS each (word, place)
        )
        SELECT found.id, found.token_count, ARRAY(
            SELECT ts_rank('{0.6,0.6,0.8,1}', found.lexemes, each.query)
            FROM unnest((SELECT queries FROM written)) WITH ORDINALITY AS each (query, place) ORDER BY each.place
        )
        FROM (
            SELECT c.id, c.token_count, CASE WHEN cardinality($2) > 0 THEN c.lexemes || '' END AS lexemes
            FROM public.%I AS c
            WHERE c.knowledge_space_id IS NOT DISTINCT FROM $4
              AND c.lexemes @@ (('''space:' || $4 || '''')::tsquery && $1)
            LIMIT $3
        ) AS found $q$, 'knowledge_chunk_' || get_shard_id_for_distribution_column('public.knowledge_chunk', space))
    USING wanted, scored, bound, space;
END $$
