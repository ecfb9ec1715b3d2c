-- get_communities: the present state of these communities.
SELECT id, level, parent_id, member_count, title, summary, findings, reported_by, reported_at,
    coalesce(reported_hash <> content_hash, true), created_at, updated_at, content_hash
FROM community WHERE knowledge_space_id = %(space_id)s AND id = ANY(%(ids)s::uuid[])
