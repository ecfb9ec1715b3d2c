-- list_communities_of_nodes: for each of these nodes the communities that hold it, finest first.
WITH RECURSIVE ancestry AS (
    SELECT member.node_id, community.id, community.level, community.parent_id, community.title
    FROM community_member AS member
    JOIN community ON community.knowledge_space_id = %(space_id)s AND community.id = member.community_id
    WHERE member.knowledge_space_id = %(space_id)s AND member.node_id = ANY(%(nodes)s::uuid[])
    UNION ALL
    SELECT ancestry.node_id, above.id, above.level, above.parent_id, above.title FROM ancestry
    JOIN community AS above ON above.knowledge_space_id = %(space_id)s AND above.id = ancestry.parent_id
)
SELECT node_id, id, level, title FROM ancestry ORDER BY node_id, level DESC
