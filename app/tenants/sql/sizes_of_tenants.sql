-- sizes_of_tenants: what each of these tenants has in all its spaces, and what it spent this month.
SELECT whole.id, held.documents, held.bytes, held.chunks, held.nodes, held.spaces, spent.cost_usd
FROM unnest(%(ids)s::uuid[]) AS whole(id)
CROSS JOIN LATERAL (
    SELECT coalesce(sum(s.documents), 0)::bigint AS documents, coalesce(sum(s.bytes), 0)::bigint AS bytes,
        coalesce(sum(s.chunks), 0)::bigint AS chunks, coalesce(sum(s.nodes), 0)::bigint AS nodes,
        count(DISTINCT s.knowledge_space_id) AS spaces
    FROM space_size AS s WHERE s.tenant_id = whole.id
) AS held
CROSS JOIN LATERAL (
    SELECT coalesce(sum(u.cost_usd), 0) AS cost_usd FROM usage_daily AS u
    WHERE u.tenant_id = whole.id AND u.day >= date_trunc('month', now() AT TIME ZONE 'UTC')::date
) AS spent
