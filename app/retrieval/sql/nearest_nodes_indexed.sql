-- nearest_nodes_indexed: the same by the space's own index; see nearest_chunks_indexed.
SELECT node_id, 1 - ((embedding::halfvec(%(dimensions)s)) <=> %(vector)s::halfvec(%(dimensions)s)) AS similarity
FROM node_vector
WHERE knowledge_space_id = %(space_id)s AND vector_set = %(vector_set)s
  AND (SELECT set_config('enable_sort', 'on', true)) = 'on'
ORDER BY (embedding::halfvec(%(dimensions)s)) <=> %(vector)s::halfvec(%(dimensions)s)
LIMIT %(limit)s
