-- record_tagging_by_person: record in a node who sets its tags, when, and which a person had set before.
-- Suggested tags are not kept: they may contain words of a document, and are erased with it. The note is computed
-- outside of the UPDATE, because Citus allows no volatile functions there.
UPDATE graph_node SET metadata = graph_node.metadata || made.note
FROM (
    SELECT jsonb_build_object('tagged', jsonb_build_object(
        'by', %(actor)s::text, 'at', now(), 'before', coalesce(jsonb_agg(tag.tag ORDER BY tag.ordinal), '[]'::jsonb)
    )) AS note
    FROM node_tag AS tag
    WHERE tag.knowledge_space_id = %(space_id)s AND tag.node_id = %(node)s AND tag.origin = 'person'
) AS made
WHERE graph_node.knowledge_space_id = %(space_id)s AND graph_node.id = %(node)s
