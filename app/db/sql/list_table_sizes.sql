-- list_table_sizes: the largest tables by size on disk, with the estimated numbers of rows; reads no table.
SELECT relation.relname, greatest(relation.reltuples, 0)::bigint, pg_total_relation_size(relation.oid),
    pg_indexes_size(relation.oid), coalesce(seen.n_dead_tup, 0),
    greatest(seen.last_autoanalyze, seen.last_analyze), greatest(seen.last_autovacuum, seen.last_vacuum)
FROM pg_class AS relation
LEFT JOIN pg_stat_user_tables AS seen ON seen.relid = relation.oid
WHERE relation.relnamespace = 'public'::regnamespace AND relation.relkind IN ('r', 'p')
ORDER BY pg_total_relation_size(relation.oid) DESC, relation.relname LIMIT %(limit)s
