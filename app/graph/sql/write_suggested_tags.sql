-- write_suggested_tags: insert tags at these positions, with who suggested them.
INSERT INTO node_tag (knowledge_space_id, node_id, tag, ordinal, origin)
SELECT here.knowledge_space_id, t.node, t.tag, t.place, t.origin
FROM unnest(%(nodes)s::uuid[], %(tags)s::text[], %(places)s::smallint[], %(origins)s::text[])
    AS t(node, tag, place, origin)
JOIN space_anchor AS here ON here.knowledge_space_id = %(space_id)s
ON CONFLICT (knowledge_space_id, node_id, tag) DO NOTHING
