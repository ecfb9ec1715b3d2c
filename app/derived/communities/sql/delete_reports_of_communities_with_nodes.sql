-- delete_reports_of_communities_with_nodes: delete titles and reports of the communities that contain one of these nodes; they are written again.
WITH RECURSIVE concerned AS (
    SELECT member.community_id AS id FROM community_member AS member
    WHERE member.knowledge_space_id = %(space_id)s AND member.node_id = ANY(%(nodes)s::uuid[])
    UNION
    SELECT part.parent_id FROM concerned
    JOIN community AS part ON part.knowledge_space_id = %(space_id)s AND part.id = concerned.id
    WHERE part.parent_id IS NOT NULL
), told AS (
    UPDATE community_event AS event SET title = '' FROM concerned
    WHERE event.knowledge_space_id = %(space_id)s AND event.community_id = concerned.id
)
UPDATE community SET title = '', summary = '', findings = '[]', reported_hash = NULL, reported_by = NULL,
    reported_at = NULL, updated_at = now()
FROM concerned WHERE community.knowledge_space_id = %(space_id)s AND community.id = concerned.id
