-- add_communities: insert new communities; a parent of zeros means none.
INSERT INTO community
    (knowledge_space_id, id, level, parent_id, member_count, weight, inner_weight, content_hash, title)
SELECT here.knowledge_space_id, id, level, nullif(parent_id, '00000000-0000-0000-0000-000000000000'), members, weight, inner_weight,
    content, title
FROM unnest(%(ids)s::uuid[], %(levels)s::smallint[], %(parents)s::uuid[], %(members)s::int[], %(weights)s::float8[],
    %(inner)s::float8[], %(contents)s::uuid[], %(titles)s::text[])
    AS given (id, level, parent_id, members, weight, inner_weight, content, title)
JOIN space_anchor AS here ON here.knowledge_space_id = %(space_id)s
ORDER BY level, id
