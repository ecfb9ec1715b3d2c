-- insert_attributes_and_count_new: insert attributes and statements of nodes; return only the new ones.
INSERT INTO node_attribute AS a (knowledge_space_id, chunk_id, node_id, name, value, said_of, quote, char_start, char_end, stated_at, confidence, subject)
SELECT here.knowledge_space_id, t.chunk_id, t.node_id, t.name, t.value::jsonb, t.said_of, t.quote, t.char_start, t.char_end, t.stated_at, t.confidence, t.subject
FROM unnest(%(chunks)s::uuid[], %(nodes)s::uuid[], %(names)s::text[], %(values)s::text[], %(said_of)s::text[],
    %(quotes)s::text[], %(starts)s::int[], %(ends)s::int[], %(dates)s::timestamptz[], %(confidences)s::real[], %(subjects)s::text[])
    AS t(chunk_id, node_id, name, value, said_of, quote, char_start, char_end, stated_at, confidence, subject)
JOIN space_anchor AS here ON here.knowledge_space_id = %(space_id)s
ON CONFLICT (knowledge_space_id, chunk_id, node_id, name, char_start) DO NOTHING
RETURNING a.chunk_id
