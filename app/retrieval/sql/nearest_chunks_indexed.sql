-- nearest_chunks_indexed: the same by the space's own index; its literals are what the planner matches with it.
-- What own_index forbade the planner is allowed again as soon as this one is planned.
SELECT chunk_id, 1 - ((embedding::halfvec(%(dimensions)s)) <=> %(vector)s::halfvec(%(dimensions)s)) AS similarity
FROM chunk_vector
WHERE knowledge_space_id = %(space_id)s AND vector_set = %(vector_set)s
  AND (SELECT set_config('enable_sort', 'on', true)) = 'on'
ORDER BY (embedding::halfvec(%(dimensions)s)) <=> %(vector)s::halfvec(%(dimensions)s)
LIMIT %(limit)s
