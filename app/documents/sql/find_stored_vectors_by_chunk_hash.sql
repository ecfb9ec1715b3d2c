-- find_stored_vectors_by_chunk_hash: for each of these hashes, the vector that a chunk with that text has in the space's set.
SELECT wanted.hash, known.embedding::text
FROM unnest(%(hashes)s::text[]) AS wanted(hash)
CROSS JOIN LATERAL (
    SELECT v.embedding FROM knowledge_chunk c
    JOIN chunk_vector v ON v.knowledge_space_id = %(space_id)s AND v.chunk_id = c.id
        AND v.vector_set = %(vector_set)s::int
    WHERE c.knowledge_space_id = %(space_id)s AND c.content_hash = wanted.hash
    LIMIT 1
) AS known
