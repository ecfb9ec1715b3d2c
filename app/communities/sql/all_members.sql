-- all_members: all nodes of these communities, those of their parts included.
WITH RECURSIVE held AS (
    SELECT community.id FROM community
    WHERE community.knowledge_space_id = %(space_id)s AND community.id = ANY(%(ids)s::uuid[])
    UNION
    SELECT part.id FROM held
    JOIN community AS part ON part.knowledge_space_id = %(space_id)s AND part.parent_id = held.id
)
SELECT string_agg(uuid_send(member.node_id), ''::bytea) FROM held
JOIN community_member AS member ON member.knowledge_space_id = %(space_id)s AND member.community_id = held.id
