-- list_claims_only_in_chunks: the current claims whose evidence is only in these chunks, one row per claim.
-- Not those whose edges another chunk with the same text would support, nor those stated elsewhere too.
WITH gone AS MATERIALIZED (
    SELECT chunk.id FROM knowledge_chunk AS chunk
    WHERE chunk.knowledge_space_id = %(space_id)s AND chunk.id = ANY(%(chunks)s::uuid[])
      AND NOT EXISTS (
          SELECT 1 FROM knowledge_chunk AS other
          WHERE other.knowledge_space_id = %(space_id)s AND other.content_hash = chunk.content_hash
            AND other.id <> ALL(%(chunks)s::uuid[])
      )
), held AS (
    SELECT DISTINCT ON (edge.from_node_id, edge.relation_type, edge.to_node_id)
        edge.id, edge.evidence_chunk_id, edge.from_node_id, edge.relation_type, edge.to_node_id,
        edge.metadata ->> 'quote' AS quote, edge.confidence
    FROM gone
    JOIN graph_edge AS edge ON edge.knowledge_space_id = %(space_id)s AND edge.evidence_chunk_id = gone.id
    WHERE edge_holds(edge.deleted_at, edge.invalidated_at) AND edge.polarity = 'asserted'
      AND NOT EXISTS (
          SELECT 1 FROM graph_edge AS elsewhere
          WHERE elsewhere.knowledge_space_id = %(space_id)s AND elsewhere.from_node_id = edge.from_node_id
            AND elsewhere.to_node_id = edge.to_node_id AND elsewhere.relation_type = edge.relation_type
            AND edge_holds(elsewhere.deleted_at, elsewhere.invalidated_at)
            AND elsewhere.polarity = 'asserted' AND elsewhere.evidence_chunk_id <> ALL(ARRAY(SELECT id FROM gone))
      )
    ORDER BY edge.from_node_id, edge.relation_type, edge.to_node_id, edge.confidence DESC, edge.id
)
SELECT held.id, held.evidence_chunk_id, source.canonical_name, held.relation_type, target.canonical_name,
    coalesce(held.quote, ''), held.confidence
FROM held
JOIN graph_node AS source ON source.knowledge_space_id = %(space_id)s AND source.id = held.from_node_id
JOIN graph_node AS target ON target.knowledge_space_id = %(space_id)s AND target.id = held.to_node_id
ORDER BY held.confidence DESC, held.id
LIMIT %(limit)s
