-- renew: prolong the leases of the claims that one worker process holds.
UPDATE job SET lease_until = now() + make_interval(secs => %(lease)s)
FROM unnest(%(spaces)s::uuid[], %(jobs)s::uuid[], %(fences)s::bigint[]) AS held(space_id, id, fence)
WHERE job.knowledge_space_id = held.space_id AND job.id = held.id AND job.fence = held.fence
  AND job.state = 'running'
