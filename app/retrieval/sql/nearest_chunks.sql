-- nearest_chunks: the chunks of the space nearest to the question by cosine; exact.
SELECT chunk_id, 1 - (embedding <=> %(vector)s::halfvec) AS similarity
FROM chunk_vector
WHERE knowledge_space_id = %(space_id)s AND vector_set = %(vector_set)s
ORDER BY embedding <=> %(vector)s::halfvec
LIMIT %(limit)s
