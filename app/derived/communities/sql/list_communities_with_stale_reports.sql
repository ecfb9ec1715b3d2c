-- list_communities_with_stale_reports: the communities whose members or facts changed since their report, the coarsest and largest first.
SELECT id FROM community
WHERE knowledge_space_id = %(space_id)s AND coalesce(reported_hash <> content_hash, true)
ORDER BY level, member_count DESC, id
