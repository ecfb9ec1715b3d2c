-- node_passes: whether a node passes the filters on a list of nodes and comes after the cursor.
(%(node_type)s::text IS NULL OR node.node_type = %(node_type)s::text)
AND (%(at_least)s::int IS NULL OR node.mention_count >= %(at_least)s::int)
AND (%(below)s::int IS NULL OR node.mention_count < %(below)s::int)
AND (%(min_confidence)s::real IS NULL OR node.confidence >= %(min_confidence)s::real)
AND (%(first_from)s::timestamptz IS NULL OR node.first_seen_at >= %(first_from)s::timestamptz)
AND (%(first_before)s::timestamptz IS NULL OR node.first_seen_at < %(first_before)s::timestamptz)
AND (%(last_from)s::timestamptz IS NULL OR node.last_seen_at >= %(last_from)s::timestamptz)
AND (%(last_before)s::timestamptz IS NULL OR node.last_seen_at < %(last_before)s::timestamptz)
AND (%(tag)s::text IS NULL OR EXISTS (
    SELECT 1 FROM node_tag AS tag
    WHERE tag.knowledge_space_id = %(space_id)s AND tag.node_id = node.id AND tag.tag = %(tag)s::text))
AND (%(community_id)s::uuid IS NULL OR node.id IN (
    WITH RECURSIVE part AS (
        SELECT %(community_id)s::uuid AS id
        UNION ALL
        SELECT community.id FROM part
        JOIN community ON community.knowledge_space_id = %(space_id)s AND community.parent_id = part.id
    )
    SELECT member.node_id FROM community_member AS member
    JOIN part ON part.id = member.community_id
    WHERE member.knowledge_space_id = %(space_id)s))
AND (%(after_id)s::uuid IS NULL OR node.mention_count <= %(after_count)s::int
     AND (node.mention_count < %(after_count)s::int OR node.id > %(after_id)s::uuid))
