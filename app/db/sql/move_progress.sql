-- move_progress: how far the move of shards is that is under way: what it is at, and the bytes that have arrived.
SELECT min(status), sum(target_shard_size)::bigint FROM get_rebalance_progress() HAVING count(*) > 0
