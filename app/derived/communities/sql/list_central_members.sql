-- list_central_members: the most central nodes of each of these communities, those of its parts included.
WITH RECURSIVE subtree AS (
    SELECT community.id AS root, community.id FROM community
    WHERE community.knowledge_space_id = %(space_id)s AND community.id = ANY(%(ids)s::uuid[])
    UNION ALL
    SELECT subtree.root, part.id FROM subtree
    JOIN community AS part ON part.knowledge_space_id = %(space_id)s AND part.parent_id = subtree.id
)
SELECT root.id, node.id, node.canonical_name, node.node_type, node.mention_count, central.weight
FROM unnest(%(ids)s::uuid[]) AS root(id)
CROSS JOIN LATERAL (
    SELECT member.node_id, member.weight FROM subtree
    JOIN community_member AS member
        ON member.knowledge_space_id = %(space_id)s AND member.community_id = subtree.id
    WHERE subtree.root = root.id
    ORDER BY member.weight DESC, member.node_id LIMIT %(limit)s
) AS central
JOIN graph_node AS node
    ON node.knowledge_space_id = %(space_id)s AND node.id = central.node_id
ORDER BY root.id, central.weight DESC, node.id
