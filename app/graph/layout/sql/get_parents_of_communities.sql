-- get_parents_of_communities: these communities and all their ancestors, each with its parent.
WITH RECURSIVE above AS (
    SELECT id, parent_id FROM community WHERE knowledge_space_id = %(space_id)s AND id = ANY(%(ids)s::uuid[])
    UNION
    SELECT upper.id, upper.parent_id FROM above
    JOIN community AS upper ON upper.knowledge_space_id = %(space_id)s AND upper.id = above.parent_id
)
SELECT id, parent_id FROM above
