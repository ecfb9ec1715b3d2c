-- restore_tags: restore the tags of a node whose merge is undone; older merges did not record them.
INSERT INTO node_tag (knowledge_space_id, node_id, tag, ordinal, origin)
SELECT m.knowledge_space_id, m.loser_node_id, kept.row ->> 0, (kept.row ->> 1)::smallint, kept.row ->> 2
FROM node_merge m, jsonb_array_elements(coalesce(m.loser -> 'tags', '[]')) AS kept(row)
WHERE m.knowledge_space_id = %(space_id)s AND m.id = %(merge)s
ON CONFLICT DO NOTHING
