-- write_summaries: summaries written anew, with their state; one that another run has written since stays.
INSERT INTO node_summary AS standing (knowledge_space_id, node_id, text, citations, written_by, facts_hash, embedding,
    vector_set, vector_of, summarised_at, recent, in_burst, held, pending, due_at, last_reason, looked_at, seen_claims, episodes,
    refreshed, skipped)
SELECT node.knowledge_space_id, t.node_id, t.body, t.citations::jsonb, t.author, t.facts_hash, t.embedding::halfvec,
    %(of_set)s, t.number, t.at, t.recent::timestamptz[], t.in_burst, t.held, t.pending, t.due_at, t.reason, t.at, t.seen, t.number + 1,
    1, 0
FROM unnest(%(ids)s::uuid[], %(texts)s::text[], %(citations)s::text[], %(authors)s::text[], %(hashes)s::bytea[],
    %(embeddings)s::text[], %(numbers)s::int[], %(times)s::timestamptz[], %(recent)s::text[], %(bursts)s::bool[],
    %(held)s::int[], %(pending)s::bool[], %(due)s::timestamptz[], %(reasons)s::text[], %(seen)s::bytea[])
    AS t(node_id, body, citations, author, facts_hash, embedding, number, at, recent, in_burst, held, pending, due_at,
        reason, seen)
JOIN graph_node AS node ON node.knowledge_space_id = %(space_id)s AND node.id = t.node_id
ORDER BY t.node_id
ON CONFLICT (knowledge_space_id, node_id) DO UPDATE SET
    text = excluded.text, citations = excluded.citations, written_by = excluded.written_by,
    facts_hash = excluded.facts_hash, embedding = excluded.embedding,
    vector_set = excluded.vector_set, vector_of = excluded.vector_of,
    summarised_at = excluded.summarised_at, recent = excluded.recent, in_burst = excluded.in_burst,
    held = excluded.held, pending = excluded.pending, due_at = excluded.due_at, last_reason = excluded.last_reason,
    looked_at = excluded.looked_at, seen_claims = excluded.seen_claims, episodes = excluded.episodes,
    refreshed = standing.refreshed + 1
WHERE standing.episodes = excluded.episodes - 1
RETURNING standing.node_id
