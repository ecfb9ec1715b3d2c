-- insert_documents: insert imported documents; return the ids of those without a key conflict.
INSERT INTO document AS written (knowledge_space_id, id, title, source_kind, source_uri, format, language, metadata,
    content_hash, byte_size, version, state, created_at, updated_at, encoding, trust,
    warnings, message_id, in_reply_to, uploader)
SELECT here.knowledge_space_id, t.id, t.title, t.source_kind, t.source_uri, t.format, t.language, t.metadata,
    t.content_hash, t.byte_size, t.version, 'ready', t.created_at, t.updated_at, t.encoding, t.trust,
    t.warnings, t.message_id, t.in_reply_to, t.uploader
FROM jsonb_to_recordset(%(rows)s::jsonb) AS t(id uuid, title text, source_kind text, source_uri text,
    format text, language text, metadata jsonb, content_hash text, byte_size int, version int,
    created_at timestamptz, updated_at timestamptz, encoding text, trust double precision,
    warnings jsonb, message_id text, in_reply_to text, uploader text)
JOIN space_anchor AS here ON here.knowledge_space_id = %(space_id)s
ON CONFLICT DO NOTHING
RETURNING written.id
