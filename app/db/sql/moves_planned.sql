-- moves_planned: the moves of shards by which nodes would hold alike many bytes, or those off nodes that take none. Run on the coordinator.
SELECT shardid, targetname, targetport FROM get_rebalance_table_shards_plan('public.graph_node', drain_only => %(drain_only)s)
