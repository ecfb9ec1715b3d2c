-- shards_of_space: on a cluster, the shard of each content table that has the space's rows, by table. Run on the coordinator.
-- Without the anchor: it stands for the space's own row.
SELECT relation.relname::text, shard_name(relation.oid, get_shard_id_for_distribution_column(relation.oid, %(space_id)s::uuid))
FROM pg_dist_partition AS part JOIN pg_class AS relation ON relation.oid = part.logicalrelid
WHERE part.partmethod = 'h' AND relation.relname <> 'space_anchor' ORDER BY relation.relname
