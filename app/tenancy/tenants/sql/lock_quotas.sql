-- lock_quotas: lock the tenant's quotas until the transaction ends.
SELECT pg_advisory_xact_lock(hashtextextended('quotas ' || %(tenant_id)s::text, 0))
