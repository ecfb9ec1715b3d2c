-- change_communities: the staged communities that stand, as a run found them; they keep their titles and reports.
UPDATE community AS standing SET
    parent_id = nullif(staged.parent_id, '00000000-0000-0000-0000-000000000000'), member_count = staged.members,
    weight = staged.weight, inner_weight = staged.inner_weight, content_hash = staged.content, updated_at = now()
FROM staged_community AS staged
WHERE standing.knowledge_space_id = %(space_id)s AND standing.id = staged.id AND NOT staged.fresh
  -- What partial runs summed up differs from a whole run's in the last digits: that alone is no reason to write.
  AND ((standing.parent_id, standing.member_count, standing.content_hash)
    IS DISTINCT FROM (nullif(staged.parent_id, '00000000-0000-0000-0000-000000000000'), staged.members, staged.content)
    OR abs(standing.weight - staged.weight) > 1e-9 * staged.weight
    OR abs(standing.inner_weight - staged.inner_weight) > 1e-9 * staged.inner_weight)
