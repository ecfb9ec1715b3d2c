-- write_tags: insert a node's tags in order of relevance.
INSERT INTO node_tag (knowledge_space_id, node_id, tag, ordinal)
SELECT here.knowledge_space_id, %(node)s, t.tag, t.place - 1
FROM unnest(%(tags)s::text[]) WITH ORDINALITY AS t(tag, place)
JOIN space_anchor AS here ON here.knowledge_space_id = %(space_id)s
