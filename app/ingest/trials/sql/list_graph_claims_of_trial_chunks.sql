-- list_graph_claims_of_trial_chunks: the graph's claims from the chunks of a trial, or from other chunks with the same text, ended or not.
-- Step by step along the indexes: of rows that have just come the planner knows no number, and joins them all.
WITH twin AS MATERIALIZED (
    SELECT reading.chunk_id AS read_id, other.id
    FROM (
        SELECT chunk_id FROM trial_reading WHERE knowledge_space_id = %(space_id)s AND job_id = %(job)s
    ) AS reading
    CROSS JOIN LATERAL (
        SELECT content_hash FROM knowledge_chunk
        WHERE knowledge_space_id = %(space_id)s AND id = reading.chunk_id LIMIT 1
    ) AS own
    CROSS JOIN LATERAL (
        SELECT id FROM knowledge_chunk
        WHERE knowledge_space_id = %(space_id)s AND content_hash = own.content_hash OFFSET 0
    ) AS other
)
SELECT twin.read_id, edge.from_node_id, source.canonical_name, edge.relation_type, edge.to_node_id,
    target.canonical_name, edge.polarity, edge.confidence, coalesce(edge.metadata ->> 'quote', '')
FROM twin
CROSS JOIN LATERAL (
    SELECT id, from_node_id, relation_type, to_node_id, polarity, confidence, metadata FROM graph_edge
    WHERE knowledge_space_id = %(space_id)s AND evidence_chunk_id = twin.id AND deleted_at IS NULL OFFSET 0
) AS edge
CROSS JOIN LATERAL (
    SELECT canonical_name FROM graph_node
    WHERE knowledge_space_id = %(space_id)s AND id = edge.from_node_id LIMIT 1
) AS source
CROSS JOIN LATERAL (
    SELECT canonical_name FROM graph_node
    WHERE knowledge_space_id = %(space_id)s AND id = edge.to_node_id LIMIT 1
) AS target
ORDER BY edge.id
