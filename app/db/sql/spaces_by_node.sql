-- spaces_by_node: on a cluster, these spaces as one list for each node that has their content, with its group.
SELECT placement.groupid, array_agg(space.id)
FROM unnest(%(ids)s::uuid[]) AS space (id)
LEFT JOIN pg_dist_placement AS placement ON placement.shardid = get_shard_id_for_distribution_column('public.graph_node', space.id)
GROUP BY placement.groupid
