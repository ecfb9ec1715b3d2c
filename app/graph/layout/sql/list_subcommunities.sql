-- list_subcommunities: the subcommunities of this community, largest first.
SELECT id, member_count FROM community
WHERE knowledge_space_id = %(space_id)s AND parent_id = %(community)s ORDER BY member_count DESC, id LIMIT %(limit)s
