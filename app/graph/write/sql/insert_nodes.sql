-- insert_nodes: insert nodes, or return those that already have this name and type; with whether each is new.
INSERT INTO graph_node AS g (knowledge_space_id, id, canonical_name, node_type, metadata)
SELECT here.knowledge_space_id, t.id, t.name, t.node_type, t.metadata::jsonb
FROM unnest(%(ids)s::uuid[], %(names)s::text[], %(types)s::text[], %(metadata)s::text[])
    AS t(id, name, node_type, metadata)
JOIN space_anchor AS here ON here.knowledge_space_id = %(space_id)s
ON CONFLICT (knowledge_space_id, canonical_name, node_type) DO UPDATE SET node_type = g.node_type
RETURNING g.id, g.canonical_name, g.node_type, g.mention_count, g.metadata, (g.xmax = 0)
