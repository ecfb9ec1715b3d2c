-- list_ties_of_communities_and_nodes: the ties of a community's subcommunities and drawn nodes, to others and to each other.
-- Other ends are given by the finest community that contains them.
WITH RECURSIVE tree AS (
    SELECT community.id, community.id AS own FROM community
    WHERE community.knowledge_space_id = %(space_id)s AND community.id = ANY(%(parts)s::uuid[])
    UNION ALL
    SELECT part.id, tree.own FROM tree
    JOIN community AS part ON part.knowledge_space_id = %(space_id)s AND part.parent_id = tree.id
), inner_node AS MATERIALIZED (
    SELECT member.node_id, tree.own FROM tree
    JOIN community_member AS member ON member.knowledge_space_id = %(space_id)s AND member.community_id = tree.id
    UNION ALL
    SELECT drawn.id, drawn.id FROM unnest(%(nodes)s::uuid[]) AS drawn (id)
), tie AS (
    SELECT near.own, near.other, near.weight, near.confidence FROM (
        SELECT inner_node.own, edge.to_node_id AS other, edge.weight, edge.confidence FROM inner_node
        CROSS JOIN LATERAL (
            SELECT to_node_id, weight, confidence FROM graph_edge
            WHERE knowledge_space_id = %(space_id)s AND from_node_id = inner_node.node_id AND deleted_at IS NULL
              -- include tie_passes
            ORDER BY weight DESC LIMIT %(scan)s
        ) AS edge
        UNION ALL
        SELECT inner_node.own, edge.from_node_id, edge.weight, edge.confidence FROM inner_node
        CROSS JOIN LATERAL (
            SELECT from_node_id, weight, confidence FROM graph_edge
            WHERE knowledge_space_id = %(space_id)s AND to_node_id = inner_node.node_id AND deleted_at IS NULL
              -- include tie_passes
            ORDER BY weight DESC LIMIT %(scan)s
        ) AS edge
    ) AS near
)
SELECT tie.own, other.community_id, count(*), sum(tie.weight)::real, max(tie.confidence)
FROM tie
JOIN community_member AS other ON other.knowledge_space_id = %(space_id)s AND other.node_id = tie.other
GROUP BY 1, 2 ORDER BY 4 DESC, 1, 2 LIMIT %(limit)s
