-- list_edges_ended_by_earlier_decisions: those of these current edges whose claim a person ended in all other rows, after their text was added.
-- Each with the latest of those decisions.
SELECT edge.id, decided.decision_id, decided.decided_by, decided.reason, decided.invalidated_at
FROM graph_edge AS edge
JOIN knowledge_chunk AS own ON own.knowledge_space_id = %(space_id)s AND own.id = edge.evidence_chunk_id
CROSS JOIN LATERAL (
    SELECT entry.decision_id, entry.decided_by, entry.reason, entry.invalidated_at
    FROM graph_edge AS other
    JOIN edge_invalidation AS entry ON entry.knowledge_space_id = %(space_id)s AND entry.edge_id = other.id
    WHERE other.knowledge_space_id = %(space_id)s AND other.from_node_id = edge.from_node_id
      AND other.to_node_id = edge.to_node_id AND other.relation_type = edge.relation_type
      AND other.polarity = edge.polarity AND entry.kind = 'person' AND entry.undone_at IS NULL
      AND entry.created_at > own.created_at
    ORDER BY entry.id DESC LIMIT 1
) AS decided
WHERE edge.knowledge_space_id = %(space_id)s AND edge.extraction_key = ANY(%(keys)s::uuid[])
  AND edge.polarity = 'asserted' AND edge_holds(edge.deleted_at, edge.invalidated_at)
  AND NOT EXISTS (
    SELECT 1 FROM graph_edge AS standing
    WHERE standing.knowledge_space_id = %(space_id)s AND standing.from_node_id = edge.from_node_id
      AND standing.to_node_id = edge.to_node_id AND standing.relation_type = edge.relation_type
      AND standing.polarity = edge.polarity AND standing.extraction_key <> ALL(%(keys)s::uuid[])
      AND edge_holds(standing.deleted_at, standing.invalidated_at)
  )
