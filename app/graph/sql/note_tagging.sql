-- note_tagging: keep beside a node who sets its tags, when, and which a person had set before.
-- Suggested tags are not kept: they may hold words of a document, and go when it is erased.
UPDATE graph_node SET metadata = graph_node.metadata || jsonb_build_object('tagged', jsonb_build_object(
    'by', %(actor)s::text, 'at', now(), 'before', coalesce((
        SELECT jsonb_agg(tag.tag ORDER BY tag.ordinal) FROM node_tag AS tag
        WHERE tag.knowledge_space_id = %(space_id)s AND tag.node_id = %(node)s AND tag.origin = 'person'
    ), '[]'::jsonb)))
WHERE graph_node.knowledge_space_id = %(space_id)s AND graph_node.id = %(node)s
