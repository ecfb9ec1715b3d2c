-- write_episodes: insert the gate's input and decision for these nodes.
INSERT INTO summary_episode (knowledge_space_id, node_id, number, at, facts_hash, came, negates, went, embedding,
    vector_of, refreshed, reason, state, state_embedding)
SELECT here.knowledge_space_id, t.node_id, t.number, t.at, t.facts_hash, t.came, t.negates, t.went, t.embedding::halfvec,
    t.vector_of, t.refreshed, t.reason, t.state::jsonb, t.state_embedding::halfvec
FROM unnest(%(ids)s::uuid[], %(numbers)s::int[], %(times)s::timestamptz[], %(hashes)s::bytea[], %(came)s::bool[],
    %(negates)s::bool[], %(went)s::bool[], %(embeddings)s::text[], %(vectors_of)s::int[], %(refreshed)s::bool[],
    %(reasons)s::text[], %(states)s::text[], %(state_embeddings)s::text[])
    AS t(node_id, number, at, facts_hash, came, negates, went, embedding, vector_of, refreshed, reason, state, state_embedding)
JOIN space_anchor AS here ON here.knowledge_space_id = %(space_id)s
ORDER BY t.node_id
