-- read_sizes_of_tenants: the amounts that each of these tenants has in all its spaces, and its spending this month.
-- Each sum by itself: on a cluster what spaces hold is added up on the workers, and what was spent on the coordinator.
WITH held AS MATERIALIZED (
    SELECT s.tenant_id, sum(s.documents)::bigint AS documents, sum(s.bytes)::bigint AS bytes,
        sum(s.chunks)::bigint AS chunks, sum(s.nodes)::bigint AS nodes,
        count(DISTINCT s.knowledge_space_id) AS spaces
    FROM space_size AS s WHERE s.tenant_id = ANY(%(ids)s::uuid[]) GROUP BY s.tenant_id
), spent AS MATERIALIZED (
    SELECT u.tenant_id, sum(u.cost_usd) AS cost_usd FROM usage_daily AS u
    WHERE u.tenant_id = ANY(%(ids)s::uuid[]) AND u.day >= date_trunc('month', now() AT TIME ZONE 'UTC')::date
    GROUP BY u.tenant_id
)
SELECT whole.id, coalesce(held.documents, 0), coalesce(held.bytes, 0), coalesce(held.chunks, 0),
    coalesce(held.nodes, 0), coalesce(held.spaces, 0), coalesce(spent.cost_usd, 0) + coalesce(kept.cost_usd, 0)
FROM unnest(%(ids)s::uuid[]) AS whole(id)
LEFT JOIN held ON held.tenant_id = whole.id
LEFT JOIN spent ON spent.tenant_id = whole.id
LEFT JOIN usage_of_deleted AS kept
    ON kept.tenant_id = whole.id AND kept.month = date_trunc('month', now() AT TIME ZONE 'UTC')::date
