-- delete_expired_reservations: delete reservations that have expired, or whose job has no lease.
DELETE FROM budget_reservation AS r
WHERE r.expires_at <= clock_timestamp() OR (r.job_id IS NOT NULL AND NOT EXISTS (
    SELECT FROM job WHERE job.knowledge_space_id = r.knowledge_space_id AND job.id = r.job_id AND job.state = 'running'
))
