-- insert_attributes: insert attribute values and statements of chunks; return the chunks of those without a key conflict.
INSERT INTO node_attribute AS written (knowledge_space_id, chunk_id, node_id, name, value, said_of, quote, char_start, char_end, stated_at,
    ended_at, ended_by, ended_reason, confidence, subject)
SELECT here.knowledge_space_id, t.chunk_id, t.node_id, t.name, t.value, t.said_of, t.quote, t.char_start, t.char_end, t.stated_at,
    t.ended_at, t.ended_by, t.ended_reason, t.confidence, t.subject
FROM jsonb_to_recordset(%(rows)s::jsonb) AS t(chunk_id uuid, node_id uuid, name text, value jsonb,
    said_of text, quote text, char_start int, char_end int, stated_at timestamptz,
    ended_at timestamptz, ended_by text, ended_reason text, confidence real, subject text)
JOIN space_anchor AS here ON here.knowledge_space_id = %(space_id)s
ON CONFLICT DO NOTHING
RETURNING written.chunk_id
