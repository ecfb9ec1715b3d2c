-- insert_chunks: insert chunks of existing documents, with their words; return the ids of those without a key conflict.
INSERT INTO knowledge_chunk AS written (knowledge_space_id, id, document_id, ordinal, text, char_start, char_end,
    heading_path, token_count, content_hash, speaker, said_at, extracted_by, place, places, name_ties,
    message_id, in_reply_to, lexemes)
SELECT document.knowledge_space_id, t.id, t.document_id, t.ordinal, t.text, t.char_start, t.char_end, t.heading_path,
    t.token_count, t.content_hash, t.speaker, t.said_at, t.extracted_by, t.place, t.places, t.name_ties,
    t.message_id, t.in_reply_to,
    chunk_lexemes(%(space_id)s, document.title, t.heading_path, t.text)
FROM jsonb_to_recordset(%(rows)s::jsonb) AS t(id uuid, document_id uuid, ordinal int, text text,
    char_start int, char_end int, heading_path text[], token_count int, content_hash text, speaker text,
    said_at timestamptz, extracted_by text, place text, places jsonb, name_ties jsonb, message_id text, in_reply_to text)
JOIN document ON document.knowledge_space_id = %(space_id)s AND document.id = t.document_id
ON CONFLICT DO NOTHING
RETURNING written.id
