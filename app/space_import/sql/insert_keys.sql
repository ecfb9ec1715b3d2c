-- insert_keys: the keys under which other spellings of the nodes' names are found.
INSERT INTO node_name_key (knowledge_space_id, key, node_id)
SELECT %(space_id)s, t.key, t.node_id FROM unnest(%(keys)s::text[], %(nodes)s::uuid[]) AS t(key, node_id)
ON CONFLICT DO NOTHING
