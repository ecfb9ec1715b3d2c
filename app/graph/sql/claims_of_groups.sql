-- claims_of_groups: all rows by which these nodes have a value of these relations, with their dates, how each ended, and the time.
-- `spared` is a row that a person took back from a later source: no source ends it again.
SELECT edge.id, edge.from_node_id, edge.relation_type, edge.to_node_id, edge.confidence, edge.evidence_chunk_id,
    edge.dated, edge.quote, ending.id, ending.kind, ending.source_edge_id, ending.invalidated_at,
    EXISTS (
        SELECT FROM edge_invalidation AS before
        WHERE before.knowledge_space_id = %(space_id)s AND before.edge_id = edge.id
          AND before.kind = 'source' AND before.undone_kind = 'person'
    ) AS spared, now()
FROM unnest(%(from_nodes)s::uuid[], %(relations)s::text[]) AS given (from_node_id, relation_type)
CROSS JOIN LATERAL (
    SELECT own.id, own.from_node_id, own.relation_type, own.to_node_id, own.confidence, own.evidence_chunk_id,
        coalesce(own.valid_from, (own.metadata ->> 'statedAt')::timestamptz) AS dated,
        own.metadata ->> 'quote' AS quote
    FROM graph_edge AS own
    WHERE own.knowledge_space_id = %(space_id)s AND own.from_node_id = given.from_node_id
      AND own.relation_type = given.relation_type AND own.deleted_at IS NULL AND own.polarity = 'asserted'
) AS edge
LEFT JOIN edge_invalidation AS ending
    ON ending.knowledge_space_id = %(space_id)s AND ending.edge_id = edge.id AND ending.undone_at IS NULL
ORDER BY edge.id
