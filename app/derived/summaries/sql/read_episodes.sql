-- read_episodes: a page of the histories of a space's nodes, or of one, node by node in their order.
SELECT node_id, number, at, facts_hash, came, negates, went, embedding::text, vector_of, refreshed, reason, state,
    state_embedding::text
FROM summary_episode
WHERE knowledge_space_id = %(space_id)s AND (node_id, number) > (%(after_node)s::uuid, %(after_number)s::int)
  AND (%(node)s::uuid IS NULL OR node_id = %(node)s::uuid)
ORDER BY node_id, number LIMIT %(limit)s
