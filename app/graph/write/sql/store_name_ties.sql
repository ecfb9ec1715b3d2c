-- store_name_ties: store which names these chunks give to one thing.
UPDATE knowledge_chunk SET name_ties = given.ties::jsonb
FROM unnest(%(chunks)s::uuid[], %(ties)s::text[]) AS given(chunk_id, ties)
WHERE knowledge_chunk.knowledge_space_id = %(space_id)s AND knowledge_chunk.id = given.chunk_id
