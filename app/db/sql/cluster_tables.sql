-- cluster_tables: how each of these tables is distributed, the table it is colocated with, and its bytes on the coordinator itself.
SELECT named.each, part.partmethod::text, column_to_column_name(part.logicalrelid, part.partkey), part.colocationid,
    pg_relation_size(to_regclass('public.' || named.each))
FROM unnest(%(tables)s::text[]) AS named (each)
LEFT JOIN pg_dist_partition AS part ON part.logicalrelid = to_regclass('public.' || named.each)
ORDER BY named.each
