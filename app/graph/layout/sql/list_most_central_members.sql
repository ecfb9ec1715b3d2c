-- list_most_central_members: the most central nodes of this community, including those of its subcommunities or not.
WITH RECURSIVE subtree AS (
    SELECT community.id FROM community
    WHERE community.knowledge_space_id = %(space_id)s AND community.id = %(community)s
    UNION ALL
    SELECT part.id FROM subtree
    JOIN community AS part ON part.knowledge_space_id = %(space_id)s AND part.parent_id = subtree.id
    WHERE %(whole)s::bool
)
SELECT member.node_id FROM subtree
JOIN community_member AS member ON member.knowledge_space_id = %(space_id)s AND member.community_id = subtree.id
JOIN graph_node AS node
    ON node.knowledge_space_id = %(space_id)s AND node.id = member.node_id
ORDER BY member.weight DESC, member.node_id LIMIT %(limit)s
