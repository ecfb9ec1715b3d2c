-- write_chunks: store new chunks of documents, in order.
INSERT INTO knowledge_chunk (knowledge_space_id, id, document_id, ordinal, text, char_start, char_end,
    heading_path, token_count, content_hash, speaker, said_at, place, places, message_id, in_reply_to, lexemes)
SELECT d.knowledge_space_id, t.id, t.document_id, t.ordinal, t.body, t.char_start, t.char_end,
    CASE WHEN t.headings = '' THEN '{}' ELSE string_to_array(t.headings, E'\x1f') END,
    t.tokens, t.hash, t.speaker, t.said_at, t.place, t.places::jsonb, t.message_id, t.in_reply_to,
    chunk_lexemes(%(space_id)s, d.title, CASE WHEN t.headings = '' THEN '{}' ELSE string_to_array(t.headings, E'\x1f') END, t.body)
FROM unnest(%(ids)s::uuid[], %(document_ids)s::uuid[], %(ordinals)s::int[], %(texts)s::text[], %(starts)s::int[],
    %(ends)s::int[], %(headings)s::text[], %(tokens)s::int[], %(hashes)s::text[], %(speakers)s::text[],
    %(times)s::timestamptz[], %(whole_places)s::text[], %(places)s::text[], %(message_ids)s::text[], %(replies)s::text[])
    AS t(id, document_id, ordinal, body, char_start, char_end, headings, tokens, hash, speaker, said_at, place, places,
        message_id, in_reply_to)
JOIN document d ON d.knowledge_space_id = %(space_id)s AND d.id = t.document_id
