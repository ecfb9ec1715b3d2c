-- do_other_tenants_wait: whether a job of another tenant has been ready for a second, so that no free worker took it.
SELECT EXISTS (
    SELECT 1 FROM tenant t
    CROSS JOIN LATERAL (
        SELECT 1 FROM job q
        WHERE q.tenant_id = t.id AND q.state = 'queued' AND q.run_after <= now() - interval '1 second'
          AND q.schema_version <= %(schema_version)s AND q.kind = ANY(%(kinds)s::text[])
        LIMIT 1
    ) AS ready
    WHERE t.id <> %(tenant)s
      AND (SELECT count(*) FROM job r WHERE r.tenant_id = t.id AND r.state = 'running') < t.max_running_jobs
)
