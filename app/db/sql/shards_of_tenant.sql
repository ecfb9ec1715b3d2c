-- shards_of_tenant: on a cluster, the shard of graph_node of each space of the tenant. Run on the coordinator.
SELECT space.id, space.name, get_shard_id_for_distribution_column('public.graph_node', space.id)
FROM public.knowledge_space AS space WHERE space.tenant_id = %(tenant_id)s AND space.closed_at IS NULL ORDER BY space.id
