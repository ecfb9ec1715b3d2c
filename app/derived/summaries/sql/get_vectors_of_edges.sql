-- get_vectors_of_edges: the vectors that ingest gave these facts, as bytes: two of the length, two unused, two a number.
SELECT edge_id, halfvec_send(embedding) FROM fact_vector
WHERE knowledge_space_id = %(space_id)s AND vector_set = %(vector_set)s AND edge_id = ANY(%(edges)s::uuid[])
