-- lock_quotas: let nobody else add to what the tenant has, where it is checked, until the transaction ends.
SELECT pg_advisory_xact_lock(hashtextextended('quotas ' || %(tenant_id)s::text, 0))
