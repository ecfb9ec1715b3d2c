-- reserve_budget: reserve the maximum cost of a call, if budgets and token quota of this month cover it with all running calls.
-- Two statements: the sums must be as the lock found them. Nobody is locked out where there is no limit, nor while a
-- model is called: the lock goes with this transaction, and the row that it made counts until the call ends.
SELECT pg_advisory_xact_lock(hashtextextended('budget ' || tenant.id::text, 0)) FROM tenant
WHERE tenant.id = %(tenant_id)s::uuid AND (
    tenant.settings ->> 'budget_usd' IS NOT NULL
    OR coalesce((tenant.settings -> 'quotas' ->> 'tokens')::bigint, %(token_limit)s::bigint) IS NOT NULL
    OR EXISTS (
        SELECT FROM knowledge_space AS space
        WHERE space.tenant_id = %(tenant_id)s::uuid AND space.id = %(space_id)s::uuid AND space.settings ->> 'budget_usd' IS NOT NULL
    )
);
WITH used AS (
    SELECT u.knowledge_space_id, u.cost_usd, u.prompt_tokens + u.completion_tokens AS tokens, 0 AS in_flight FROM usage_daily AS u
    WHERE u.tenant_id = %(tenant_id)s::uuid AND u.day >= date_trunc('month', now() AT TIME ZONE 'UTC')::date
    UNION ALL
    SELECT NULL, kept.cost_usd, kept.prompt_tokens + kept.completion_tokens, 0 FROM usage_of_deleted AS kept
    WHERE kept.tenant_id = %(tenant_id)s::uuid AND kept.month = date_trunc('month', now() AT TIME ZONE 'UTC')::date
    UNION ALL
    SELECT r.knowledge_space_id, r.cost_usd, 0, r.tokens FROM budget_reservation AS r
    WHERE r.tenant_id = %(tenant_id)s::uuid AND r.expires_at > clock_timestamp()
), sums AS (
    SELECT coalesce(sum(cost_usd), 0) AS of_tenant,
        coalesce(sum(cost_usd) FILTER (WHERE knowledge_space_id = %(space_id)s::uuid), 0) AS of_space,
        coalesce(sum(tokens), 0)::bigint AS tokens, coalesce(sum(in_flight), 0)::bigint AS in_flight
    FROM used
), room AS (
    SELECT least(
        (SELECT (t.settings ->> 'budget_usd')::numeric FROM tenant AS t WHERE t.id = %(tenant_id)s::uuid) - of_tenant,
        (SELECT (s.settings ->> 'budget_usd')::numeric FROM knowledge_space AS s
         WHERE s.tenant_id = %(tenant_id)s::uuid AND s.id = %(space_id)s::uuid) - of_space
    ) AS usd,
    coalesce(
        (SELECT (t.settings -> 'quotas' ->> 'tokens')::bigint FROM tenant AS t WHERE t.id = %(tenant_id)s::uuid), %(token_limit)s::bigint
    ) AS token_limit, tokens, in_flight
    FROM sums
), reserved AS (
    INSERT INTO budget_reservation (knowledge_space_id, tenant_id, id, job_id, cost_usd, tokens, expires_at)
    SELECT %(space_id)s::uuid, %(tenant_id)s::uuid, %(id)s::uuid, %(job)s::uuid, %(cost_usd)s::numeric, %(tokens)s::bigint,
        clock_timestamp() + make_interval(secs => %(seconds)s)
    FROM room
    WHERE (room.usd IS NOT NULL OR room.token_limit IS NOT NULL)
      AND (room.usd IS NULL OR room.usd >= %(cost_usd)s::numeric)
      AND (room.token_limit IS NULL OR room.token_limit - room.tokens - room.in_flight >= %(tokens)s::bigint)
    RETURNING id
)
SELECT room.usd >= %(cost_usd)s::numeric, room.token_limit, room.tokens, room.in_flight, EXISTS (SELECT FROM reserved) FROM room
