-- write_states: update the state of nodes whose summary stays; a node that another run has evaluated meanwhile is skipped.
-- With the vector of the same facts where that is another one by now.
UPDATE node_summary SET recent = (SELECT t.recent::timestamptz[]), in_burst = t.in_burst, held = t.held, pending = t.pending,
    due_at = t.due_at, last_reason = t.reason, looked_at = t.at, seen_claims = t.seen, episodes = t.number + 1,
    skipped = node_summary.skipped + 1, embedding = coalesce(t.embedding::halfvec, node_summary.embedding),
    vector_set = CASE WHEN t.embedding IS NULL THEN node_summary.vector_set ELSE %(of_set)s END,
    vector_of = CASE WHEN t.embedding IS NULL THEN node_summary.vector_of ELSE t.number END
FROM unnest(%(ids)s::uuid[], %(numbers)s::int[], %(times)s::timestamptz[], %(recent)s::text[], %(bursts)s::bool[],
    %(held)s::int[], %(pending)s::bool[], %(due)s::timestamptz[], %(reasons)s::text[], %(seen)s::bytea[],
    %(embeddings)s::text[])
    AS t(node_id, number, at, recent, in_burst, held, pending, due_at, reason, seen, embedding)
WHERE node_summary.knowledge_space_id = %(space_id)s AND node_summary.node_id = t.node_id
  AND node_summary.episodes = t.number
RETURNING node_summary.node_id
