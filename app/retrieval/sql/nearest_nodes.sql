-- nearest_nodes: the nodes whose names are nearest to the question by cosine.
SELECT node_id, 1 - (embedding <=> %(vector)s::halfvec) AS similarity
FROM node_vector
WHERE knowledge_space_id = %(space_id)s AND vector_set = %(vector_set)s
ORDER BY embedding <=> %(vector)s::halfvec
LIMIT %(limit)s
