-- list_members_of_communities: all nodes of these communities, those of their parts included.
WITH RECURSIVE subtree AS (
    SELECT community.id FROM community
    WHERE community.knowledge_space_id = %(space_id)s AND community.id = ANY(%(ids)s::uuid[])
    UNION
    SELECT part.id FROM subtree
    JOIN community AS part ON part.knowledge_space_id = %(space_id)s AND part.parent_id = subtree.id
)
SELECT string_agg(uuid_send(member.node_id), ''::bytea) FROM subtree
JOIN community_member AS member ON member.knowledge_space_id = %(space_id)s AND member.community_id = subtree.id
