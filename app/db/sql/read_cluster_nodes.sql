-- read_cluster_nodes: the nodes of a cluster by the coordinator's catalogue, with the shards and spaces of each. Run on the coordinator.
-- A shard is here one of each table of content, which stand together. Before `distribute` there is none. Who sees no space gets NULL.
WITH shard AS (
    SELECT placement.groupid, count(*) AS shards
    FROM pg_dist_shard AS part JOIN pg_dist_placement AS placement ON placement.shardid = part.shardid
    WHERE part.logicalrelid = 'public.graph_node'::regclass GROUP BY placement.groupid
), space AS (
    SELECT placement.groupid, count(*) AS spaces
    FROM public.knowledge_space AS owner
    JOIN pg_dist_placement AS placement ON placement.shardid = CASE
        WHEN EXISTS (SELECT FROM shard) THEN get_shard_id_for_distribution_column('public.graph_node', owner.id)
    END
    GROUP BY placement.groupid
)
SELECT node.nodeid, node.nodename || ':' || node.nodeport, node.groupid = 0, node.isactive, node.shouldhaveshards,
    coalesce(shard.shards, 0), CASE WHEN NOT row_security_active('public.knowledge_space') THEN coalesce(space.spaces, 0) END
FROM pg_dist_node AS node
LEFT JOIN shard ON shard.groupid = node.groupid
LEFT JOIN space ON space.groupid = node.groupid
WHERE node.noderole = 'primary' ORDER BY node.groupid
