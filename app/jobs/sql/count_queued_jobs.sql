-- count_queued_jobs: how many jobs of one kind the tenant has waiting, counted up to a bound.
SELECT count(*) FROM (
    SELECT 1 FROM job WHERE tenant_id = %(tenant)s AND state = 'queued' AND kind = %(kind)s LIMIT %(bound)s
) AS waiting
