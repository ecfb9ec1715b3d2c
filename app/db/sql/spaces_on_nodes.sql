-- spaces_on_nodes: on a cluster, one of these space ids for each node that has shards of content.
SELECT DISTINCT ON (placement.groupid) space.id
FROM unnest(%(ids)s::uuid[]) AS space (id)
JOIN pg_dist_placement AS placement ON placement.shardid = get_shard_id_for_distribution_column('public.graph_node', space.id)
ORDER BY placement.groupid, space.id
