-- add_communities: the staged communities that are new.
INSERT INTO community
    (knowledge_space_id, id, level, parent_id, member_count, weight, inner_weight, content_hash, title)
SELECT %(space_id)s, id, level, nullif(parent_id, '00000000-0000-0000-0000-000000000000'), members, weight, inner_weight,
    content, title
FROM staged_community WHERE fresh ORDER BY level, id
