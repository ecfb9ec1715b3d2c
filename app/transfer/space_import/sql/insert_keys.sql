-- insert_keys: insert the keys of other spellings of the nodes' names.
INSERT INTO node_name_key (knowledge_space_id, key, node_id)
SELECT here.knowledge_space_id, t.key, t.node_id FROM unnest(%(keys)s::text[], %(nodes)s::uuid[]) AS t(key, node_id)
JOIN space_anchor AS here ON here.knowledge_space_id = %(space_id)s
ON CONFLICT DO NOTHING
