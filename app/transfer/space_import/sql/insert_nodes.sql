-- insert_nodes: insert imported nodes with their names and tags; return the ids of those without a key conflict.
INSERT INTO graph_node AS written (knowledge_space_id, id, canonical_name, node_type, metadata, confidence, source,
    first_seen_at, last_seen_at)
SELECT here.knowledge_space_id, given.id, given.canonical_name, given.node_type, given.metadata, given.confidence, given.source,
    given.first_seen_at, given.last_seen_at
FROM jsonb_to_recordset(%(rows)s::jsonb) AS given(id uuid, canonical_name text, node_type text, metadata jsonb,
    confidence real, source text, first_seen_at timestamptz, last_seen_at timestamptz)
JOIN space_anchor AS here ON here.knowledge_space_id = %(space_id)s
ON CONFLICT DO NOTHING
RETURNING written.id;
INSERT INTO node_name (knowledge_space_id, normalised_name, node_id, name, kind, spelling_key)
SELECT node.knowledge_space_id, name.normalised, given.id, name.name, name.kind, spelling_key(name.normalised)
FROM jsonb_to_recordset(%(rows)s::jsonb) AS given(id uuid, names jsonb)
JOIN graph_node AS node ON node.knowledge_space_id = %(space_id)s AND node.id = given.id
CROSS JOIN LATERAL jsonb_to_recordset(given.names) AS name(normalised text, name text, kind text)
ON CONFLICT DO NOTHING;
INSERT INTO node_tag (knowledge_space_id, node_id, tag, ordinal, origin)
SELECT node.knowledge_space_id, given.id, tag.each ->> 'tag', tag.place - 1, tag.each ->> 'origin'
FROM jsonb_to_recordset(%(rows)s::jsonb) AS given(id uuid, tags jsonb)
JOIN graph_node AS node ON node.knowledge_space_id = %(space_id)s AND node.id = given.id
CROSS JOIN LATERAL jsonb_array_elements(given.tags) WITH ORDINALITY AS tag(each, place)
ON CONFLICT DO NOTHING
