-- insert_mentions: insert mentions; return only the new ones.
INSERT INTO node_mention AS m (knowledge_space_id, chunk_id, node_id, surface_form, char_start, char_end, name, node_type,
    titular, sense)
SELECT here.knowledge_space_id, t.chunk_id, t.node_id, t.surface, t.char_start, t.char_end, t.name, t.node_type,
    t.titular, t.sense
FROM unnest(%(chunks)s::uuid[], %(nodes)s::uuid[], %(surfaces)s::text[], %(starts)s::int[], %(ends)s::int[],
    %(names)s::text[], %(types)s::text[], %(titulars)s::bool[], %(senses)s::text[])
    AS t(chunk_id, node_id, surface, char_start, char_end, name, node_type, titular, sense)
JOIN space_anchor AS here ON here.knowledge_space_id = %(space_id)s
ON CONFLICT (knowledge_space_id, chunk_id, node_id) DO NOTHING
RETURNING m.chunk_id, m.node_id, m.name, m.node_type, m.sense
