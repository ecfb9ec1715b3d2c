-- change_communities: update existing communities as a run found them; they keep their titles and reports.
UPDATE community AS standing SET
    parent_id = nullif(given.parent_id, '00000000-0000-0000-0000-000000000000'), member_count = given.members,
    weight = given.weight, inner_weight = given.inner_weight, content_hash = given.content, updated_at = now()
FROM unnest(%(ids)s::uuid[], %(parents)s::uuid[], %(members)s::int[], %(weights)s::float8[], %(inner)s::float8[],
    %(contents)s::uuid[]) AS given (id, parent_id, members, weight, inner_weight, content)
WHERE standing.knowledge_space_id = %(space_id)s AND standing.id = given.id
  -- What partial runs summed up differs from a whole run's in the last digits: that alone is no reason to write.
  AND ((standing.parent_id, standing.member_count, standing.content_hash)
    IS DISTINCT FROM (nullif(given.parent_id, '00000000-0000-0000-0000-000000000000'), given.members, given.content)
    OR abs(standing.weight - given.weight) > 1e-9 * given.weight
    OR abs(standing.inner_weight - given.inner_weight) > 1e-9 * given.inner_weight)
