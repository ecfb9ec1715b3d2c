-- list_largest_subcommunities: of each of these communities the largest that it divides into, the largest first.
SELECT part.id, part.level, part.parent_id, part.member_count, part.title, part.summary, part.findings,
    part.reported_by, part.reported_at, coalesce(part.reported_hash <> part.content_hash, true), part.created_at,
    part.updated_at
FROM unnest(%(ids)s::uuid[]) AS whole(id)
CROSS JOIN LATERAL (
    SELECT * FROM community AS each_part
    WHERE each_part.knowledge_space_id = %(space_id)s AND each_part.parent_id = whole.id
    ORDER BY each_part.member_count DESC, each_part.id LIMIT %(limit)s
) AS part
