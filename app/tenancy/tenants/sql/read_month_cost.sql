-- read_month_cost: the amounts that space and tenant have spent this month (UTC), in US dollars, each with its budget or null.
SELECT
    coalesce(sum(used.cost_usd) FILTER (WHERE used.knowledge_space_id = %(space_id)s), 0)::float,
    (SELECT (settings ->> 'budget_usd')::float FROM knowledge_space
     WHERE tenant_id = %(tenant_id)s AND id = %(space_id)s),
    (coalesce(sum(used.cost_usd), 0)
        + coalesce((SELECT kept.cost_usd FROM usage_of_deleted AS kept
                WHERE kept.tenant_id = %(tenant_id)s AND kept.month = date_trunc('month', now() AT TIME ZONE 'UTC')::date), 0))::float,
    (SELECT (settings ->> 'budget_usd')::float FROM tenant WHERE id = %(tenant_id)s)
FROM usage_daily AS used
WHERE used.tenant_id = %(tenant_id)s AND used.day >= date_trunc('month', now() AT TIME ZONE 'UTC')::date
