-- plan_shard_moves: the moves of shards that would balance the bytes of the nodes, or empty the nodes that accept none. Run on the coordinator.
SELECT shardid, targetname, targetport FROM get_rebalance_table_shards_plan('public.graph_node', drain_only => %(drain_only)s)
