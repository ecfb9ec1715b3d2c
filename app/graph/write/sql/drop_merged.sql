-- drop_merged: delete nodes that were merged into others, and edges that became loops.
-- Texts about the winners that rest on such an edge are deleted too: jobs write them again.
WITH RECURSIVE loops AS (
    DELETE FROM graph_edge
    WHERE knowledge_space_id = %(space_id)s AND from_node_id = ANY(%(winners)s::uuid[]) AND from_node_id = to_node_id
      AND relation_type <> 'exists' AND NOT metadata ? 'changes'
    RETURNING from_node_id AS node_id, jsonb_build_array(jsonb_build_object('edge_ids', jsonb_build_array(id))) AS cited
), summaries AS (
    DELETE FROM node_summary USING loops
    WHERE node_summary.knowledge_space_id = %(space_id)s AND node_summary.node_id = loops.node_id
      AND node_summary.citations @> loops.cited
), concerned AS (
    SELECT member.community_id AS id FROM loops
    JOIN community_member AS member ON member.knowledge_space_id = %(space_id)s AND member.node_id = loops.node_id
    UNION
    SELECT part.parent_id FROM concerned
    JOIN community AS part ON part.knowledge_space_id = %(space_id)s AND part.id = concerned.id
    WHERE part.parent_id IS NOT NULL
), reports AS (
    UPDATE community SET summary = '', findings = '[]', reported_hash = NULL, reported_by = NULL, reported_at = NULL,
        updated_at = now()
    FROM concerned
    WHERE community.knowledge_space_id = %(space_id)s AND community.id = concerned.id
      AND EXISTS (SELECT 1 FROM loops WHERE community.findings @> loops.cited)
)
DELETE FROM graph_node WHERE knowledge_space_id = %(space_id)s AND id = ANY(%(losers)s::uuid[])
