-- read_remaining_month_budget: the remainder of this month's budgets of the tenant and of the space, in US dollars; null without one.
SELECT least(
    (SELECT (t.settings ->> 'budget_usd')::numeric FROM tenant t WHERE t.id = %(tenant_id)s)
        - coalesce((SELECT sum(u.cost_usd) FROM usage_daily u
                    WHERE u.tenant_id = %(tenant_id)s
                      AND u.day >= date_trunc('month', now() AT TIME ZONE 'UTC')::date), 0)
        - coalesce((SELECT kept.cost_usd FROM usage_of_deleted AS kept
                WHERE kept.tenant_id = %(tenant_id)s AND kept.month = date_trunc('month', now() AT TIME ZONE 'UTC')::date), 0),
    (SELECT (s.settings ->> 'budget_usd')::numeric FROM knowledge_space s
     WHERE s.tenant_id = %(tenant_id)s AND s.id = %(space_id)s)
        - coalesce((SELECT sum(u.cost_usd) FROM usage_daily u
                    WHERE u.tenant_id = %(tenant_id)s AND u.knowledge_space_id = %(space_id)s
                      AND u.day >= date_trunc('month', now() AT TIME ZONE 'UTC')::date), 0)
)
