-- communities_of_nodes: for each of these nodes the communities that hold it, finest first.
WITH RECURSIVE held AS (
    SELECT member.node_id, community.id, community.level, community.parent_id, community.title
    FROM community_member AS member
    JOIN community ON community.knowledge_space_id = %(space_id)s AND community.id = member.community_id
    WHERE member.knowledge_space_id = %(space_id)s AND member.node_id = ANY(%(nodes)s::uuid[])
    UNION ALL
    SELECT held.node_id, above.id, above.level, above.parent_id, above.title FROM held
    JOIN community AS above ON above.knowledge_space_id = %(space_id)s AND above.id = held.parent_id
)
SELECT node_id, id, level, title FROM held ORDER BY node_id, level DESC
