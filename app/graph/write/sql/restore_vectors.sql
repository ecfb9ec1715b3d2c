-- restore_vectors: restore the vectors of a node whose merge is undone, and of the facts between the two nodes.
-- Only vectors of the space's present set; a node of an older ledger row, or of an older set, gets a copy of the
-- winner's vector for now, by which it was found until now.
INSERT INTO node_vector (knowledge_space_id, node_id, vector_set, embedding)
SELECT ledger.knowledge_space_id, ledger.loser_node_id, %(into_set)s::int, coalesce(own.embedding, other.embedding)
FROM node_merge ledger
LEFT JOIN LATERAL (
    SELECT (kept.row ->> 1)::halfvec AS embedding FROM jsonb_array_elements(ledger.vectors) AS kept(row)
    WHERE (kept.row ->> 0)::int = %(into_set)s::int
) AS own ON true
LEFT JOIN node_vector other ON other.knowledge_space_id = %(space_id)s
    AND other.node_id = ledger.winner_node_id AND other.vector_set = %(into_set)s::int
WHERE ledger.knowledge_space_id = %(space_id)s AND ledger.id = %(merge)s
  AND coalesce(own.embedding, other.embedding) IS NOT NULL
ON CONFLICT DO NOTHING;
INSERT INTO fact_vector (knowledge_space_id, edge_id, vector_set, embedding)
SELECT e.knowledge_space_id, e.id, %(into_set)s::int, (kept.row ->> 1)::halfvec
FROM jsonb_to_recordset(%(loops)s::jsonb) AS t(id uuid, vectors jsonb)
CROSS JOIN LATERAL jsonb_array_elements(
    CASE WHEN jsonb_typeof(t.vectors) = 'array' THEN t.vectors ELSE '[]' END) AS kept(row)
JOIN graph_edge e ON e.knowledge_space_id = %(space_id)s AND e.id = t.id
WHERE (kept.row ->> 0)::int = %(into_set)s::int
ON CONFLICT DO NOTHING
