-- heartbeat_leases: extend the leases of one worker process from now, whatever their steps are doing.
UPDATE job SET lease_until = clock_timestamp() + make_interval(secs => %(seconds)s)
FROM unnest(%(spaces)s::uuid[], %(jobs)s::uuid[], %(fences)s::bigint[]) AS held(space_id, id, fence)
WHERE job.knowledge_space_id = held.space_id AND job.id = held.id AND job.fence = held.fence
  AND job.state = 'running'
