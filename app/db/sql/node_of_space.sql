-- node_of_space: on a cluster, the group of the node that holds the space's content. Run on the coordinator.
SELECT placement.groupid FROM pg_dist_placement AS placement
WHERE placement.shardid = get_shard_id_for_distribution_column('public.graph_node', %(space_id)s::uuid)
