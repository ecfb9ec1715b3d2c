-- read_month_budgets: the monthly budgets of the tenant and of one space, and the amounts spent this month, in US dollars.
SELECT (SELECT (t.settings ->> 'budget_usd')::numeric FROM tenant AS t WHERE t.id = %(tenant_id)s),
    coalesce((SELECT sum(u.cost_usd) FROM usage_daily AS u
              WHERE u.tenant_id = %(tenant_id)s AND u.day >= date_trunc('month', now() AT TIME ZONE 'UTC')::date), 0)
        + coalesce((SELECT kept.cost_usd FROM usage_of_deleted AS kept
                WHERE kept.tenant_id = %(tenant_id)s AND kept.month = date_trunc('month', now() AT TIME ZONE 'UTC')::date), 0),
    (SELECT (s.settings ->> 'budget_usd')::numeric FROM knowledge_space AS s
     WHERE s.tenant_id = %(tenant_id)s AND s.id = %(space)s::uuid),
    coalesce((SELECT sum(u.cost_usd) FROM usage_daily AS u
              WHERE u.tenant_id = %(tenant_id)s AND u.knowledge_space_id = %(space)s::uuid
                AND u.day >= date_trunc('month', now() AT TIME ZONE 'UTC')::date), 0)
