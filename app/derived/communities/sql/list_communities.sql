-- list_communities: a page of communities of one level, or of all, coarsest and largest first.
SELECT id, level, parent_id, member_count, title, summary, findings, reported_by, reported_at,
    coalesce(reported_hash <> content_hash, true), created_at, updated_at, content_hash
FROM community
WHERE knowledge_space_id = %(space_id)s
  AND (%(level)s::int IS NULL OR level = %(level)s::int)
  AND (%(parent)s::uuid IS NULL OR parent_id = %(parent)s::uuid)
  AND (%(after_id)s::uuid IS NULL
       OR (level, -member_count, id) > (%(after_level)s::int, -%(after_members)s::int, %(after_id)s::uuid))
ORDER BY level, member_count DESC, id
LIMIT %(limit)s
