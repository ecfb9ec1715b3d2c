-- read_daily_use: the use of the space on each of the last days (UTC), the earliest first; zeros for days without use.
SELECT series.day::date, coalesce(used.documents, 0), coalesce(used.chunks, 0), coalesce(used.queries, 0),
    coalesce(used.cost_usd, 0)::float
FROM generate_series((now() AT TIME ZONE 'UTC')::date - %(days)s::int + 1, (now() AT TIME ZONE 'UTC')::date,
    interval '1 day') AS series (day)
LEFT JOIN usage_daily AS used
    ON used.tenant_id = %(tenant_id)s AND used.knowledge_space_id = %(space_id)s AND used.day = series.day::date
ORDER BY series.day
