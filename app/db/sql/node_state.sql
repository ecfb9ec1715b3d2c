-- node_state: the bytes of the shards on one node of a cluster, and the properties that a move to it needs, as JSON. Run on each node.
SELECT jsonb_build_object('bytes', (
        SELECT coalesce(sum(pg_total_relation_size(to_regclass(shard_name(part.logicalrelid, part.shardid)))), 0)::bigint
        FROM pg_dist_shard AS part JOIN pg_dist_placement AS placement ON placement.shardid = part.shardid
        WHERE placement.groupid = (SELECT groupid FROM pg_dist_local_group)
    ), 'wal_level', current_setting('wal_level'),
    'owner_bypasses', coalesce((SELECT rolbypassrls FROM pg_roles WHERE rolname = %(owner)s), false)
)::text
