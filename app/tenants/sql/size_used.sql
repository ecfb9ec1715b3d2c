-- size_used: what the tenant's spaces hold in all, how many rows say so of the space given, its spaces, its own limits.
SELECT coalesce(sum(s.documents), 0)::bigint, coalesce(sum(s.bytes), 0)::bigint, coalesce(sum(s.chunks), 0)::bigint,
    coalesce(sum(s.nodes), 0)::bigint, count(*) FILTER (WHERE s.knowledge_space_id = %(space)s),
    (SELECT count(*) FROM knowledge_space k WHERE k.tenant_id = %(tenant)s),
    (SELECT t.settings -> 'quotas' FROM tenant t WHERE t.id = %(tenant)s)
FROM space_size s WHERE s.tenant_id = %(tenant)s
