-- get_communities: these communities with the columns for drawing.
SELECT id, level, parent_id, member_count, title, reported_at IS NOT NULL FROM community
WHERE knowledge_space_id = %(space_id)s AND id = ANY(%(ids)s::uuid[])
