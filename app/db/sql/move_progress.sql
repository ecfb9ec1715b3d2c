-- move_progress: the progress of the running move of shards: its step, and the bytes that have arrived.
SELECT min(status), sum(target_shard_size)::bigint FROM get_rebalance_progress() HAVING count(*) > 0
