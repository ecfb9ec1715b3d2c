-- list_ended_claims_in_chunks: the claims of these chunks that no longer hold, whatever ended them, each with its sentence.
-- Includes values that a person ended, without an edge. The last column has the relation types of claims that the same sentence states and that hold.
SELECT edge.evidence_chunk_id, source.canonical_name, edge.relation_type, target.canonical_name,
    edge.metadata ->> 'quote', coalesce(edge.ends_at, edge.invalidated_at), edge.id, EXISTS (
        SELECT 1 FROM edge_invalidation AS entry
        WHERE entry.knowledge_space_id = %(space_id)s AND entry.edge_id = edge.id AND entry.kind = 'person' AND entry.undone_at IS NULL
    ), ARRAY(
        SELECT DISTINCT other.relation_type FROM graph_edge AS other
        WHERE other.knowledge_space_id = %(space_id)s AND other.evidence_chunk_id = edge.evidence_chunk_id
          AND other.polarity = 'asserted' AND other.metadata ->> 'quote' = edge.metadata ->> 'quote'
          AND edge_holds_at(other.deleted_at, other.invalidated_at, other.valid_from, other.ends_at, %(as_of)s::timestamptz)
        ORDER BY other.relation_type
    )
FROM graph_edge AS edge
JOIN graph_node AS source ON source.knowledge_space_id = %(space_id)s AND source.id = edge.from_node_id
JOIN graph_node AS target ON target.knowledge_space_id = %(space_id)s AND target.id = edge.to_node_id
WHERE edge.knowledge_space_id = %(space_id)s AND edge.evidence_chunk_id = ANY(%(chunks)s::uuid[])
  AND edge.deleted_at IS NULL AND edge.polarity = 'asserted' AND coalesce(edge.ends_at, edge.invalidated_at) <= coalesce(%(as_of)s::timestamptz, now()) AND edge.metadata ->> 'quote' <> ''
  AND NOT EXISTS (
      SELECT 1 FROM graph_edge AS standing
      WHERE standing.knowledge_space_id = %(space_id)s AND standing.from_node_id = edge.from_node_id
        AND standing.to_node_id = edge.to_node_id AND standing.relation_type = edge.relation_type
        AND edge_holds_at(standing.deleted_at, standing.invalidated_at, standing.valid_from, standing.ends_at, %(as_of)s::timestamptz)
  )
UNION ALL
SELECT ended.chunk_id, node.canonical_name, ended.name, ended.value #>> '{}', ended.quote, ended.ended_at, NULL, TRUE, ARRAY[]::text[]
FROM node_attribute AS ended
JOIN graph_node AS node ON node.knowledge_space_id = %(space_id)s AND node.id = ended.node_id
WHERE ended.knowledge_space_id = %(space_id)s AND ended.chunk_id = ANY(%(chunks)s::uuid[])
  AND ended.ended_at IS NOT NULL AND (%(as_of)s::timestamptz IS NULL OR ended.ended_at <= %(as_of)s::timestamptz)
ORDER BY 6 DESC, 7, 2, 3 LIMIT %(limit)s
