-- count_queued_jobs: the number of the tenant's waiting jobs of one kind, counted up to a bound.
SELECT count(*) FROM (
    SELECT 1 FROM job WHERE tenant_id = %(tenant)s AND state = 'queued' AND kind = %(kind)s LIMIT %(bound)s
) AS waiting
