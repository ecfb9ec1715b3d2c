-- insert_mentions: insert mentions; return the chunks of those without a key conflict.
INSERT INTO node_mention AS written (knowledge_space_id, chunk_id, node_id, surface_form, name, char_start, char_end,
    node_type, titular, sense)
SELECT here.knowledge_space_id, t.chunk_id, t.node_id, t.surface_form, t.name, t.char_start, t.char_end, t.node_type,
    t.titular, t.sense
FROM jsonb_to_recordset(%(rows)s::jsonb) AS t(chunk_id uuid, node_id uuid, surface_form text, name text,
    char_start int, char_end int, node_type text, titular bool, sense text)
JOIN space_anchor AS here ON here.knowledge_space_id = %(space_id)s
ON CONFLICT DO NOTHING
RETURNING written.chunk_id
