-- insert_node_vectors: insert vectors of the nodes that still exist into one set; existing vectors stay.
INSERT INTO node_vector (knowledge_space_id, node_id, vector_set, embedding)
SELECT g.knowledge_space_id, g.id, %(into_set)s::int, given.embedding::halfvec
FROM unnest(%(ids)s::uuid[], %(embeddings)s::text[]) AS given (id, embedding)
JOIN graph_node g ON g.knowledge_space_id = %(space_id)s AND g.id = given.id
ORDER BY g.id
FOR KEY SHARE OF g
ON CONFLICT (knowledge_space_id, node_id, vector_set) DO NOTHING
