-- read_communities: all communities of the space with what lineage needs, parents first.
SELECT id, level, parent_id, content_hash, title
FROM community WHERE knowledge_space_id = %(space_id)s
ORDER BY level, id
