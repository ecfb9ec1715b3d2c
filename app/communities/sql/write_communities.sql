-- write_communities: communities with what a run found of them; one that stands keeps its title and report.
INSERT INTO community AS standing
    (knowledge_space_id, id, level, parent_id, member_count, weight, inner_weight, content_hash, title)
SELECT %(space_id)s, t.id, t.level, t.parent_id, t.members, t.weight, t.inner_weight, t.content, t.title
FROM unnest(%(ids)s::uuid[], %(levels)s::int[], %(parents)s::uuid[], %(members)s::int[],
    %(weights)s::float8[], %(inner)s::float8[], %(contents)s::uuid[], %(titles)s::text[])
    AS t(id, level, parent_id, members, weight, inner_weight, content, title)
ORDER BY t.level, t.id
ON CONFLICT (knowledge_space_id, id) DO UPDATE SET
    parent_id = excluded.parent_id, member_count = excluded.member_count, weight = excluded.weight,
    inner_weight = excluded.inner_weight, content_hash = excluded.content_hash, updated_at = now()
-- What partial runs summed up differs from a whole run's in the last digits: that alone is no reason to write.
WHERE (standing.parent_id, standing.member_count, standing.content_hash)
    IS DISTINCT FROM (excluded.parent_id, excluded.member_count, excluded.content_hash)
   OR abs(standing.weight - excluded.weight) > 1e-9 * excluded.weight
   OR abs(standing.inner_weight - excluded.inner_weight) > 1e-9 * excluded.inner_weight
