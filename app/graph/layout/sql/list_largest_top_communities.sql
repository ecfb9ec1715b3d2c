-- list_largest_top_communities: the largest communities without a parent, and the numbers of all and of their members.
SELECT id, member_count, count(*) OVER (), sum(member_count) OVER () FROM community
WHERE knowledge_space_id = %(space_id)s AND level = 0 ORDER BY member_count DESC, id LIMIT %(limit)s
