-- read_month_token_allowance: the tokens that models read and wrote for the tenant this month (UTC), and its limit, or null.
SELECT coalesce((SELECT sum(u.prompt_tokens + u.completion_tokens) FROM usage_daily AS u
        WHERE u.tenant_id = %(tenant_id)s::uuid AND u.day >= date_trunc('month', now() AT TIME ZONE 'UTC')::date), 0)::bigint
    + coalesce((SELECT kept.prompt_tokens + kept.completion_tokens FROM usage_of_deleted AS kept
        WHERE kept.tenant_id = %(tenant_id)s::uuid AND kept.month = date_trunc('month', now() AT TIME ZONE 'UTC')::date), 0),
    coalesce(
        (SELECT (t.settings -> 'quotas' ->> 'tokens')::bigint FROM tenant AS t WHERE t.id = %(tenant_id)s::uuid), %(token_limit)s::bigint
    )
