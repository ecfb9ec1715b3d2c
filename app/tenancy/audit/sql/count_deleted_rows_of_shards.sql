-- count_deleted_rows_of_shards: on a cluster, the same for the shards of a space's content, counted by their Citus node. One row.
-- The anchor is read for its shard alone: the sum has a row also when the anchor is gone.
SELECT count(anchor.knowledge_space_id), (
    SELECT jsonb_object_agg(shard.table_name, pg_stat_get_xact_tuples_deleted(to_regclass(shard.shard_name)))
    FROM unnest(%(tables)s::text[], %(shards)s::text[]) AS shard (table_name, shard_name)
)
FROM space_anchor AS anchor WHERE anchor.knowledge_space_id = %(space_id)s
