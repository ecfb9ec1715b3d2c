-- get_dates_of_chunks: when these chunks were said: the date of their turn in a conversation, else of their document.
SELECT chunk.id, coalesce(chunk.said_at, CASE WHEN document.metadata ->> 'date' ~ '^\d{4}-\d\d-\d\d'
    AND pg_input_is_valid(document.metadata ->> 'date', 'timestamptz')
    THEN (document.metadata ->> 'date')::timestamptz END)
FROM knowledge_chunk AS chunk
JOIN document ON document.knowledge_space_id = %(space_id)s AND document.id = chunk.document_id
WHERE chunk.knowledge_space_id = %(space_id)s AND chunk.id = ANY(%(ids)s::uuid[])
