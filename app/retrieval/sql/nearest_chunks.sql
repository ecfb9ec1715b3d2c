-- nearest_chunks: the chunks nearest to the question by cosine, out of all of the space: exact.
SELECT id, 1 - (embedding <=> %(vector)s::halfvec) AS similarity
FROM knowledge_chunk
WHERE knowledge_space_id = %(space_id)s AND embedding IS NOT NULL
ORDER BY embedding <=> %(vector)s::halfvec
LIMIT %(limit)s
