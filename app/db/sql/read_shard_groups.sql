-- read_shard_groups: the groups of colocated shards of a cluster: the shard of graph_node, its node and bytes, and whether it belongs to one space.
-- Nodes are asked for the bytes. Run on the coordinator.
SELECT first.shardid, node.nodename, node.nodeport, coalesce(sum(sizes.size), 0)::bigint, first.shardminvalue = first.shardmaxvalue,
    array_agg(part.shardid)
FROM pg_dist_partition AS relation
JOIN pg_dist_shard AS first ON first.logicalrelid = relation.logicalrelid
JOIN pg_dist_placement AS placement ON placement.shardid = first.shardid
JOIN pg_dist_node AS node ON node.groupid = placement.groupid AND node.noderole = 'primary'
JOIN pg_dist_partition AS beside ON beside.colocationid = relation.colocationid
JOIN pg_dist_shard AS part ON part.logicalrelid = beside.logicalrelid AND part.shardminvalue = first.shardminvalue
LEFT JOIN citus_shard_sizes() AS sizes ON sizes.shard_id = part.shardid
WHERE relation.logicalrelid = 'public.graph_node'::regclass
GROUP BY first.shardid, node.nodename, node.nodeport, first.shardminvalue, first.shardmaxvalue ORDER BY first.shardid
