-- list_dated_rows_of_claims: all rows of these (source, relation), or of one target if it is given, with dates and endings.
-- Denials are included because they end others; reports are not. `spared` is a row that a person restored from an
-- ending by a source: no source ends it again. Of documents with the same passage the most trusted counts, then the
-- oldest.
SELECT edge.id, edge.from_node_id, edge.relation_type, edge.to_node_id, edge.confidence, edge.evidence_chunk_id,
    edge.dated, edge.quote, edge.polarity, edge.precision, edge.stated_at, edge.valid_to, edge.valid_to_precision,
    ending.id, ending.kind, ending.source_edge_id, ending.invalidated_at, ending.reason,
    EXISTS (
        SELECT FROM edge_invalidation AS before
        WHERE before.knowledge_space_id = %(space_id)s AND before.edge_id = edge.id
          AND before.kind = 'source' AND before.undone_kind = 'person'
    ) AS spared, coalesce(stated.trust, 1), stated.origin, edge.begins, edge.role, edge.ends_at, stated.uploader
FROM (
    SELECT DISTINCT row.id, row.from_node_id, row.relation_type, row.to_node_id, row.confidence, row.evidence_chunk_id,
        CASE WHEN row.valid_to IS NULL THEN coalesce(row.valid_from, (row.metadata ->> 'statedAt')::timestamptz)
            ELSE row.valid_from END AS dated,
        row.metadata ->> 'quote' AS quote, row.polarity, row.valid_from_precision AS precision,
        (row.metadata ->> 'statedAt')::timestamptz AS stated_at, row.valid_to, row.valid_to_precision,
        CASE WHEN row.valid_from_basis = 'sentence' THEN row.valid_from END AS begins, row.metadata ->> 'role' AS role, row.ends_at
    FROM unnest(%(from_nodes)s::uuid[], %(relations)s::text[], %(to_nodes)s::uuid[])
        AS given (from_node_id, relation_type, to_node_id)
    CROSS JOIN LATERAL (
        SELECT own.* FROM graph_edge AS own
        WHERE given.to_node_id IS NULL AND own.knowledge_space_id = %(space_id)s
          AND own.from_node_id = given.from_node_id
          AND own.relation_type = given.relation_type AND own.deleted_at IS NULL AND own.polarity <> 'reported'
        UNION ALL
        SELECT own.* FROM graph_edge AS own
        WHERE own.knowledge_space_id = %(space_id)s AND own.from_node_id = given.from_node_id
          AND own.to_node_id >= given.to_node_id AND own.to_node_id <= given.to_node_id
          AND own.relation_type = given.relation_type AND own.deleted_at IS NULL AND own.polarity <> 'reported'
    ) AS row
) AS edge
LEFT JOIN edge_invalidation AS ending
    ON ending.knowledge_space_id = %(space_id)s AND ending.edge_id = edge.id AND ending.undone_at IS NULL
LEFT JOIN LATERAL (
    SELECT max(source.trust) AS trust, min(source.content_hash) AS origin,
        (array_agg(source.uploader ORDER BY source.trust DESC, source.id))[1] AS uploader
    FROM (SELECT content_hash FROM knowledge_chunk WHERE knowledge_space_id = %(space_id)s AND id = edge.evidence_chunk_id LIMIT 1) AS own
    CROSS JOIN LATERAL (
        SELECT document_id FROM knowledge_chunk
        WHERE knowledge_space_id = %(space_id)s AND content_hash = own.content_hash LIMIT 100
    ) AS twin
    CROSS JOIN LATERAL (
        SELECT id, trust, content_hash, uploader FROM document WHERE knowledge_space_id = %(space_id)s AND id = twin.document_id LIMIT 1
    ) AS source
) AS stated ON true
ORDER BY edge.id
