-- set_ends_ahead: store when each of these edges will end, as far as is known now; null if nothing lies ahead.
UPDATE graph_edge SET ends_at = given.ends_at
FROM unnest(%(edges)s::uuid[], %(ends)s::timestamptz[]) AS given (id, ends_at)
WHERE graph_edge.knowledge_space_id = %(space_id)s AND graph_edge.id = given.id
  AND graph_edge.ends_at IS DISTINCT FROM given.ends_at
