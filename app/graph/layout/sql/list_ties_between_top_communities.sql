-- list_ties_between_top_communities: the ties between first-level communities, heaviest first.
-- Only the most central members and their strongest edges are read: a bound for spaces of any size. The planner knows
-- nothing about a space's rows; with hash joins no number of them is far too slow.
SET LOCAL enable_nestloop = off;
WITH RECURSIVE root AS (
    SELECT id, id AS top FROM community WHERE knowledge_space_id = %(space_id)s AND level = 0
    UNION ALL
    SELECT part.id, root.top FROM root
    JOIN community AS part ON part.knowledge_space_id = %(space_id)s AND part.parent_id = root.id
), central AS MATERIALIZED (
    SELECT member.node_id, member.community_id FROM community_member AS member
    WHERE member.knowledge_space_id = %(space_id)s ORDER BY member.weight DESC LIMIT %(members)s
), tie AS MATERIALIZED (
    SELECT mine.top AS one, edge.to_node_id, edge.weight, edge.confidence FROM central
    JOIN root AS mine ON mine.id = central.community_id
    CROSS JOIN LATERAL (
        SELECT to_node_id, weight, confidence FROM graph_edge
        WHERE knowledge_space_id = %(space_id)s AND from_node_id = central.node_id AND deleted_at IS NULL
          -- include tie_passes
        ORDER BY weight DESC LIMIT %(scan)s
    ) AS edge
)
SELECT least(tie.one, theirs.top), greatest(tie.one, theirs.top), count(*), sum(tie.weight)::real, max(tie.confidence)
FROM tie
JOIN community_member AS other ON other.knowledge_space_id = %(space_id)s AND other.node_id = tie.to_node_id
JOIN root AS theirs ON theirs.id = other.community_id
WHERE theirs.top <> tie.one
GROUP BY 1, 2 ORDER BY 4 DESC, 1, 2 LIMIT %(limit)s;
SET LOCAL enable_nestloop = on
