-- largest_top_communities: the largest communities that no other holds, and how many there are in all with how many members.
SELECT id, member_count, count(*) OVER (), sum(member_count) OVER () FROM community
WHERE knowledge_space_id = %(space_id)s AND level = 0 ORDER BY member_count DESC, id LIMIT %(limit)s
