-- fetch_denials: the rows that deny, end or only report claims of these nodes, each with the strongest row that asserts the claim.
-- Includes the claims that a person ended. Reports come last. Only a node's strongest edges per direction are read, from the index alone.
SELECT said.id, said.from_node_id, source.canonical_name, said.relation_type, said.to_node_id, target.canonical_name,
    said.polarity, coalesce(said.valid_to, decided.ended_at, said.valid_from),
    CASE WHEN said.valid_to IS NOT NULL THEN said.valid_to_precision WHEN decided.ended_at IS NULL THEN said.valid_from_precision END,
    asserted.id, asserted.holds, asserted.dated, said.metadata ->> 'saidBy', decided.ended_at IS NOT NULL
FROM (
    SELECT DISTINCT near.id FROM unnest(%(nodes)s::uuid[]) AS given (node_id)
    CROSS JOIN LATERAL (
        SELECT strong.id FROM (
            SELECT id, deleted_at, invalidated_at FROM graph_edge
            WHERE knowledge_space_id = %(space_id)s AND from_node_id = given.node_id AND deleted_at IS NULL
            ORDER BY weight DESC LIMIT %(scan)s
        ) AS strong WHERE NOT edge_holds(strong.deleted_at, strong.invalidated_at)
        UNION ALL
        SELECT strong.id FROM (
            SELECT id, deleted_at, invalidated_at FROM graph_edge
            WHERE knowledge_space_id = %(space_id)s AND to_node_id = given.node_id AND deleted_at IS NULL
            ORDER BY weight DESC LIMIT %(scan)s
        ) AS strong WHERE NOT edge_holds(strong.deleted_at, strong.invalidated_at)
    ) AS near
) AS ended
JOIN graph_edge AS said ON said.knowledge_space_id = %(space_id)s AND said.id = ended.id
    AND said.evidence_chunk_id IS NOT NULL AND said.from_node_id <> said.to_node_id
LEFT JOIN LATERAL (
    SELECT coalesce(said.ends_at, said.invalidated_at) AS ended_at FROM edge_invalidation AS entry
    WHERE entry.knowledge_space_id = %(space_id)s AND entry.edge_id = said.id AND entry.kind = 'person' AND entry.undone_at IS NULL
      AND said.polarity = 'asserted' LIMIT 1
) AS decided ON true
JOIN graph_node AS source
    ON source.knowledge_space_id = %(space_id)s AND source.id = said.from_node_id
JOIN graph_node AS target
    ON target.knowledge_space_id = %(space_id)s AND target.id = said.to_node_id
LEFT JOIN LATERAL (
    SELECT other.id, state.holds, coalesce(other.valid_from, (other.metadata ->> 'statedAt')::timestamptz) AS dated
    FROM graph_edge AS other
    CROSS JOIN LATERAL (
        SELECT edge_holds_at(other.deleted_at, other.invalidated_at, other.valid_from, other.ends_at, %(as_of)s::timestamptz) AS holds
    ) AS state
    WHERE other.knowledge_space_id = %(space_id)s AND other.from_node_id = said.from_node_id
      AND other.to_node_id >= said.to_node_id AND other.to_node_id <= said.to_node_id
      AND other.relation_type = said.relation_type AND other.deleted_at IS NULL AND other.polarity = 'asserted'
      AND other.id <> said.id AND other.evidence_chunk_id IS NOT NULL
    ORDER BY state.holds DESC, dated DESC NULLS LAST, other.weight DESC, other.id LIMIT 1
) AS asserted ON true
WHERE (said.polarity <> 'asserted' OR said.valid_to IS NOT NULL OR decided.ended_at IS NOT NULL)
  AND coalesce(CASE WHEN said.polarity <> 'reported' THEN said.valid_to END, decided.ended_at, said.valid_from, '-infinity')
      <= coalesce(%(as_of)s::timestamptz, now())
ORDER BY said.polarity = 'reported', said.weight DESC, said.id LIMIT %(limit)s
