-- shard_location: on a cluster, the Citus node that has the space's content, and the name of each table's shard there. Run on the coordinator.
SELECT node.groupid, node.nodename::text, node.nodeport, shard.id, jsonb_object_agg(relation.relname, shard_name(relation.oid, own.id))
FROM (SELECT get_shard_id_for_distribution_column('public.graph_node', %(space_id)s::uuid) AS id) AS shard
JOIN pg_dist_placement AS placement ON placement.shardid = shard.id
JOIN pg_dist_node AS node ON node.groupid = placement.groupid AND node.noderole = 'primary'
CROSS JOIN pg_dist_partition AS part
JOIN pg_class AS relation ON relation.oid = part.logicalrelid
CROSS JOIN LATERAL (SELECT get_shard_id_for_distribution_column(relation.oid, %(space_id)s::uuid) AS id) AS own
WHERE part.partmethod = 'h'
GROUP BY node.groupid, node.nodename, node.nodeport, shard.id
