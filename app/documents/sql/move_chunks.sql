-- move_chunks: give unchanged chunks their positions in the new version of their document.
UPDATE knowledge_chunk SET ordinal = t.ordinal, char_start = t.char_start, char_end = t.char_end, place = t.place,
    places = t.places::jsonb, message_id = t.message_id, in_reply_to = t.in_reply_to,
    heading_path = CASE WHEN t.headings = '' THEN '{}' ELSE string_to_array(t.headings, E'\x1f') END
FROM unnest(%(ids)s::uuid[], %(ordinals)s::int[], %(starts)s::int[], %(ends)s::int[], %(headings)s::text[],
    %(whole_places)s::text[], %(places)s::text[], %(message_ids)s::text[], %(replies)s::text[])
    AS t(id, ordinal, char_start, char_end, headings, place, places, message_id, in_reply_to)
WHERE knowledge_chunk.knowledge_space_id = %(space_id)s AND knowledge_chunk.id = t.id
